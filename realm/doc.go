// Package realm keeps accounts logged on to realms such as PvPGN servers, lists lobbies there, and passes on chat and
// whispers.
//
// Realms holds all accounts of a host; package daemon creates it, and package host lists lobbies through it. Each
// account has one goroutine and one more for its connection; the rules are in the state machine of package session. The
// package does not decide who may give commands. Invalid packets of a realm only close its connection.
package realm

import (
	"net/netip"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/realm/session"
)

// numberShift is the bit position of the realm's number, from 1 to maxRealms, in a game id; the lower bits number the
// lobbies. Number 0 is the LAN.
const (
	numberShift = 28
	maxRealms   = 15
)

// Account configures one account on a realm. Accounts with the same Realm share its lists.
type Account struct {
	Realm   string
	Address string     // host:port
	Bind    netip.Addr // local address of the connection; zero means any
	Expect  netip.Addr // address to which players should be sent; zero disables the check
	Session session.Config
}

// Speech is a line that a person said to an account. The realm has verified the name.
type Speech struct {
	Realm, From, Text string
	Locale            string // locale of the account that received it
	Whisper           bool
	// Reply whispers an answer; answers to admins go first. It never blocks.
	Reply func(text string, admin bool)
}

// Options configure all accounts.
type Options struct {
	Accounts []Account
	Barred   bool // accounts may not be used until Realms.Use allows it
	// Heard is called for each line, on the account's goroutine. It must not block.
	Heard func(Speech)
	Log   zerolog.Logger
}

// Limits for one connection.
const (
	framesPerSecond = 2000
	frameBurst      = 4000
	writeWithin     = 10 * time.Second
)

func sameRealm(a, b string) bool { return strings.EqualFold(a, b) }
