// Package realm keeps accounts logged on to realms such as PvPGN servers, lists
// lobbies there and passes on people's chat. Each account has a goroutine of its own
// and one more for its connection; the rules are in session. Packets of a realm
// cost its own connection at most.
package realm

import (
	"net/netip"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/realm/session"
)

// numberShift is where the number of a realm, from 1 to maxRealms, stands in a
// game id; the bits below count lobbies. Number 0 is the LAN.
const (
	numberShift = 28
	maxRealms   = 15
)

// Account is one account on a realm. Accounts of the same Realm share its lists.
type Account struct {
	Realm   string
	Address string     // host:port
	Bind    netip.Addr // the local address of the connection; the zero Addr: any
	Expect  netip.Addr // where players should be sent; the zero Addr: anywhere
	Session session.Config
}

// Speech is a line that somebody said to an account. The realm vouches for the
// name.
type Speech struct {
	Realm, From, Text string
	Locale            string // of the account that heard it
	Whisper           bool
	// Reply whispers back, to admins before others. It never waits.
	Reply func(text string, admin bool)
}

// Options are the settings and parts that all accounts share.
type Options struct {
	Accounts []Account
	Barred   bool // no account may be used before Realms.Use allows it
	// Heard is called for each line, on the account's goroutine: it must not wait.
	Heard func(Speech)
	Log   zerolog.Logger
}

// Limits of the input from one connection.
const (
	framesPerSecond = 2000
	frameBurst      = 4000
	writeWithin     = 10 * time.Second
)

func sameRealm(a, b string) bool { return strings.EqualFold(a, b) }
