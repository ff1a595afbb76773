// Package session is one account on a realm as a pure machine: it logs on, keeps
// the connection alive, reconnects, lists games one at a time, asks the realm who
// is in them, and sends chat lines within the flood quota.
//
// Events go in with the time since the machine began, effects come out. The
// socket is outside.
package session

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// Config has the settings of a session.
type Config struct {
	Account  string
	Password bncs.Secret
	Create   bool   // register the account when the realm does not know it
	Channel  string // to be in while no game is listed; empty: none
	Product  w3gs.Product
	Version  bncs.Version
	Language string        // of the realm's texts: enUS
	Port     uint16        // where players join; at least 1024
	Games    int           // how many may be listed, by turns
	Seed     uint64        // of the jitter
	Announce bool          // say new games in the channel
	Pause    time.Duration // before the first attempt to come back; 0 is firstPause
}

// Listing is one to be listed.
type Listing struct {
	ID      uint32
	Name    string // at most bncs.MaxGameName bytes
	Stat    string // of bncs.GameStat
	Private bool   // found by its name only
	Full    bool
	Saved   bool // a saved game
	Asked   bool // by a person: it goes before those that open by themselves
}

// The machine's times.
const (
	AnswerWithin  = 15 * time.Second // of the realm, while logging on
	listedWithin  = 10 * time.Second // the answer to a game: none means refused
	nullEvery     = 30 * time.Second
	silentFor     = time.Minute // then the line is dead
	rotateEvery   = 30 * time.Second
	refreshEvery  = 20 * time.Second // a new number of free slots needs a new listing
	settleAfter   = 3 * time.Second  // since it changed: a joiner tells the realm a moment after the host
	retryGame     = time.Minute      // after a game was refused
	retryName     = 5 * time.Second  // after its name was found to be taken
	firstPause    = 2 * time.Second  // before the first attempt to come back; doubled each time
	longestPause  = 5 * time.Minute
	refusedPause  = 10 * time.Minute // after a password was refused: realms ban clients that insist
	steadyAfter   = time.Minute      // online so long: the next pause is the first again
	announceEvery = time.Minute
)
