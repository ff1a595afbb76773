package command

import (
	"net/netip"
	"strings"
	"time"

	"w3host/texts"
)

// Query is a command's question to the database, or a change to it. The answer comes later.
type Query struct {
	What     string        // name of the command
	Name     string        // player or other subject; as typed if no such player is connected
	Here     bool          // Name is a connected player, and Addr their address
	Home     string        // realm that confirmed the name, or empty
	PID      uint8         // pid of that player in the game of the caller, or 0
	Addr     netip.Addr    // invalid if unknown
	For      time.Duration // length of a ban; 0 means permanent
	Reason   string
	Root     bool   // the new admin may make other admins
	From     string // network that the admin must join from, or empty
	By       string
	Realm    string
	Map      string         // name of the map
	Language texts.Language // language of the answer
	Quiet    bool           // no answer is wanted
	Data     func(any)      // receives the answer as values; may be nil
}

// Give passes the answer as values, if they are wanted.
func (q *Query) Give(values any) {
	if q.Data != nil {
		q.Data(values)
	}
}

// Question fills in the query of a command, which already has its name, caller and language. It clears What if nothing
// has to be asked.
type Question func(by *Caller, q *Query) error

// Filled returns a Question that does not depend on the caller.
func Filled(fill func(q *Query)) Question {
	return func(_ *Caller, q *Query) error {
		fill(q)
		return nil
	}
}

// Typed asks about exactly the name typed, which may be empty.
func Typed(name string) Question { return Filled(func(q *Query) { q.Name = name }) }

// Notice returns the Notice of a command with the reason filled in.
func Notice(sentence, reason string) texts.Text {
	return texts.Of(sentence, strings.TrimRight(reason, ". "))
}
