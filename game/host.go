package game

import (
	"time"

	"w3host/texts"
)

// WaitsForRealm returns the line to players that a realm lists another lobby before this one.
func WaitsForRealm(realm, before string) texts.Text {
	return texts.Of("On %s this lobby can be found once %q has started or closed.", realm, before)
}

// HostDrains returns the line to players that the host is about to stop, but the lobby may still start.
func HostDrains(within time.Duration) texts.Text {
	return texts.Of("This host stops: the next lobby is on another one. You may stay, and start this game within %v.", within)
}

// Messages of the host to players.
var (
	HostStops = texts.Of("the host is shutting down")

	LoginOfRealm = texts.Of("your realm has already confirmed your name: you do not need to log in")
	LoginEmpty   = texts.Of("the password is missing. Usage: login <password>")
	LoginsSpent  = texts.Of("too many wrong passwords")
	LoginSlip    = texts.Of("nobody else saw this line, because it may contain your password. Start with the trigger, then login <password>")

	ErrWrongPassword = texts.Of("the password is wrong, or none is set for your name")

	ErrNoPeople     = texts.Of("this host has no database")
	ErrTooMuchAsked = texts.Of("too many requests: try again in a few seconds")
	ErrNoDatabase   = texts.Of("the database does not answer: try again later")
)

// Crashed is the line to the players of a game that has crashed.
const Crashed = "This game has crashed: a fault of the host. Its operator finds the details in the log."
