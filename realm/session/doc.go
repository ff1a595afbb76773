// Package session is the state machine of one account on a realm: it logs on, keeps the connection alive, reconnects,
// lists games one at a time, asks the realm whether players are in them, and sends chat lines within the flood quota.
//
// Machine.Handle takes an Event with the time since the machine was created and returns Effects. Package realm owns the
// socket, the timer and the goroutine; this package does no I/O.
package session

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// Config configures a session.
type Config struct {
	Account  string
	Password bncs.Secret
	Create   bool   // register the account if the realm does not know it
	Channel  string // channel to join while no game is listed; may be empty
	Product  w3gs.Product
	Version  bncs.Version
	Language string        // locale of the realm's texts, such as enUS
	Port     uint16        // port for joins, at least 1024
	Games    int           // number of games that are listed in turns
	Seed     uint64        // seed of the jitter
	Announce bool          // announce new games in the channel
	Pause    time.Duration // pause before the first reconnection; 0 means firstPause
}

// Listing is a game to list.
type Listing struct {
	ID      uint32
	Name    string // at most bncs.MaxGameName bytes
	Stat    string // an encoded bncs.GameStat
	Private bool   // not listed, but can be found by its name
	Full    bool
	Saved   bool // a saved game
	Asked   bool // opened by a person: it comes before automatic games
}

// Timing of the machine.
const (
	AnswerWithin  = 15 * time.Second // for each answer of the realm during the logon
	listedWithin  = 10 * time.Second // for the answer to a listing; none means refused
	nullEvery     = 30 * time.Second
	silentFor     = time.Minute // then the connection counts as dead
	rotateEvery   = 30 * time.Second
	refreshEvery  = 20 * time.Second // minimum time between updates of the number of free slots, which need a new listing
	settleAfter   = 3 * time.Second  // delay after a change: joining players tell the realm slightly later than the host
	retryGame     = time.Minute      // after a game was refused
	retryName     = 5 * time.Second  // after its name was taken
	firstPause    = 2 * time.Second  // before the first reconnection; doubled for each attempt
	longestPause  = 5 * time.Minute
	refusedPause  = 10 * time.Minute // after a refused password, because realms ban clients that keep trying
	steadyAfter   = time.Minute      // time online after which the next pause is the first one again
	announceEvery = time.Minute
)
