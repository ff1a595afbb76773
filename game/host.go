package game

import "w3host/texts"

// What a host says to players for reasons of its own.
var (
	HostStops = texts.Of("the host is shutting down")

	LoginOfRealm = texts.Of("your realm vouches for your name: there is nothing to log in to")
	LoginEmpty   = texts.Of("the password is missing: write login <password>")
	LoginsSpent  = texts.Of("too many passwords were tried")
	LoginSlip    = texts.Of("nobody else has read this, it may hold your password: begin with the trigger, then login <password>")

	ErrWrongPassword = texts.Of("wrong password, or none is set for your name")

	ErrNoPeople     = texts.Of("there is no database here to ask")
	ErrTooMuchAsked = texts.Of("too much is asked at once: try again in a few seconds")
	ErrNoDatabase   = texts.Of("the database does not answer: try again later")
)

// Crashed is what the players of a game that has crashed read.
const Crashed = "This game has crashed: a fault of the host. Its operator finds the details in the log."
