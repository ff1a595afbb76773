package command

import (
	"net/netip"
	"strings"
	"time"

	"w3host/texts"
)

// Query is a question of a command to the database, or a change there. The answer
// comes later.
type Query struct {
	What     string        // the name of the command
	Name     string        // whom or what it is about; as typed if no such player is here
	Here     bool          // Name is the name of a player, and Addr their address
	Home     string        // the realm that has confirmed that name; empty: none
	PID      uint8         // of that player in the game that asks; 0: none
	Addr     netip.Addr    // invalid: not known
	For      time.Duration // of a ban; 0: for good
	Reason   string
	Root     bool   // an admin is to make admins
	From     string // where joins must come from for an admin's role to count; empty: anywhere
	By       string
	Realm    string
	Map      string         // as it calls itself
	Language texts.Language // of the answer
	Quiet    bool           // nobody waits for the answer
	Data     func(any)      // takes the answer as values; nil: nobody wants them
}

// Give hands over the facts of the answer as values.
func (q *Query) Give(values any) {
	if q.Data != nil {
		q.Data(values)
	}
}

// Question fills in the query of a command, which has its name, its caller and the
// caller's language already. Where nothing has to be asked it clears What.
type Question func(by *Caller, q *Query) error

// Filled is the question that something fills in, for any caller.
func Filled(fill func(q *Query)) Question {
	return func(_ *Caller, q *Query) error {
		fill(q)
		return nil
	}
}

// Typed asks about exactly the name typed, or about nobody.
func Typed(name string) Question { return Filled(func(q *Query) { q.Name = name }) }

// Notice puts a reason into the Notice of a command, for a player.
func Notice(sentence, reason string) texts.Text {
	return texts.Of(sentence, strings.TrimRight(reason, ". "))
}
