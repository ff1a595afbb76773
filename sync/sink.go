package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Sink takes what follows from a call, in order and before the call returns. Its methods must not
// call the Loop again, except to ask. Bytes and facts are valid until Reset.
type Sink interface {
	// Frames writes the same bytes to every player in to. They are one or more whole packets
	// that belong together: nothing may be put between them.
	Frames(to w3gs.PIDs, frames []byte)
	// Drop closes a player's connection once everything before it is written. The game has
	// forgotten the player already: Leave does nothing any more. loading says that the game
	// ends while the client loads: it cannot take a packet, and is only closed.
	Drop(pid uint8, why Why, loading bool)
	// Left says that a player has gone, at the place in the order of turns where the others
	// get the 0x07. why is WhyLeft unless the game dropped the player.
	Left(pid uint8, reason w3gs.LeaveReason, why Why)
	// Entered begins the loading of clients, Config.Countdown after the beginning: send 0x0B.
	Entered()
	// Say shows a line of the host, at most 127 bytes, to the players in to.
	Say(to w3gs.PIDs, line texts.Text)
	// Loaded says that a player has loaded the map, so long after 0x0B.
	Loaded(pid uint8, after time.Duration)
	// Ballots returns how many votes players have together, of all who may vote.
	Ballots(of, all w3gs.PIDs) int
	// Fact reports what has happened: one of the types with the method Fact.
	Fact(f Fact)
	// Over ends the game. Nothing follows it.
	Over(end Over)
}

// Fact is a pointer to a type of this package that reports what has happened.
type Fact interface{ Fact() }

// reportOnly marks facts.
type reportOnly struct{}

func (*reportOnly) Fact() {}

// Started says that everybody who remains has loaded; the first turn is one
// period away.
type Started struct {
	reportOnly
	After time.Duration // since 0x0B
}

// Turn is a turn for the replay and the log. Its packets are in the Frames before
// it. Turns come in order and none is left out. The empty packets with increment 0
// that renew a lag screen are not turns.
type Turn struct {
	reportOnly
	Number    uint32        // from 1
	Increment uint16        // ms of game time
	Actions   []byte        // see w3gs.Actions; NextBatch cuts it as it was sent
	Late      time.Duration // how long after its due time it was made
}

// Settled is the hash of a turn that every voter has answered. Settled turns come in
// order and none is left out, except those that nobody answered any more, and one that
// ended the game without a largest group.
type Settled struct {
	reportOnly
	Turn uint32
	Hash Hash
}

// Empty says for the replay that every client gets Count empty 0x0C of no duration
// here. They are in the Frames before it, or proxies make them.
type Empty struct {
	reportOnly
	Count int
}

// PeriodChanged says that turns have another period from Turn on.
type PeriodChanged struct {
	reportOnly
	Period   time.Duration
	Turn     uint32
	Adaptive bool // not by SetPeriod
}

// ScreenUp says that the lag screen came up and who is on it.
type ScreenUp struct {
	reportOnly
	Turn    uint32 // the last turn that was sent
	Laggers w3gs.PIDs
}

// Over is how the game has ended.
type Over struct {
	How      How
	Turns    uint32
	GameTime time.Duration // the sum of all increments
}

// Why is the reason why a player is no longer in the game. It reads after a name:
// "Blue lagged for too long".
type Why string

// Reasons. All but WhyLeft come with a Drop.
const (
	WhyLeft               Why = "left"                                    // Leave was called
	WhyActionWhileLoading Why = "sent an action while loading"            // malformed
	WhyActionTooLong      Why = "sent an action over 1027 bytes"          // malformed
	WhyActionFlood        Why = "sent far more actions than a player may" // see Config.ActionBurst
	WhyKeepaliveFlood     Why = "acknowledged more turns than were sent"  // malformed
	WhyLoadTimeout        Why = "did not load in time"
	WhyLagged             Why = "lagged for too long"
	WhyVotedOut           Why = "was voted out while lagging"
	WhyDroppedByHost      Why = "was dropped by the host while lagging" // DropLaggers
	WhyObserverBehind     Why = "fell too far behind as an observer"
	WhyDesync             Why = "desynced" // has another hash than the group that goes on
	WhyAckedUnsent        Why = "answered turns that had not been sent yet"
	WhyGameOver           Why = "was there when the game ended"
)

// reason returns the reason that the others get when a player is dropped.
func (w Why) reason() w3gs.LeaveReason {
	if w == WhyDesync {
		return w3gs.LeaveLost
	}
	return w3gs.LeaveDisconnect
}

// How is the way a game ended.
type How string

// Ends of a game.
const (
	HowAllLeft    How = "all left"        // no human is left
	HowLastPlayer How = "one player left" // alone for Config.LastPlayer
	HowDesync     How = "desync"          // no group of players was the largest
	HowEnded      How = "ended by the host"
)
