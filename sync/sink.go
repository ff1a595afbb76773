package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Sink receives the consequences of a call, in order and before the call returns. Its methods must not call
// the Loop except for its query methods. Byte slices and facts are valid until Reset.
type Sink interface {
	// Frames sends the same bytes to every player in to. They are one or more complete packets, and nothing
	// may be inserted between them.
	Frames(to w3gs.PIDs, frames []byte)
	// Drop closes a player's connection after everything before has been written. The player has already left
	// the game. loading is set if the game ends while the client is loading; such a client cannot process a
	// packet and is only disconnected.
	Drop(pid uint8, why DropReason, loading bool)
	// Left reports that a player has left. The other players must receive the 0x07 before the turns that follow
	// this call. why is WhyLeft if the player left, and otherwise the reason why the game dropped the player.
	Left(pid uint8, reason w3gs.LeaveReason, why DropReason)
	// Entered asks for a 0x0B, with which clients start to load. It is called Config.Countdown after the
	// start.
	Entered()
	// Say sends a chat line of the host, at most 127 bytes, to the players in to.
	Say(to w3gs.PIDs, line texts.Text)
	// Loaded reports that a player has loaded the map, and how long after the 0x0B.
	Loaded(pid uint8, after time.Duration)
	// Ballots returns how many votes the players in of have together if all may vote. Players from one
	// address can share a vote.
	Ballots(of, all w3gs.PIDs) int
	// Fact reports an event of the game.
	Fact(f Fact)
	// Over reports the end of the game. Nothing follows it.
	Over(end Over)
}

// Fact is an event of the game: a pointer to one of the types of this package that embed reportOnly.
type Fact interface{ Fact() }

// reportOnly marks a type as a Fact.
type reportOnly struct{}

func (*reportOnly) Fact() {}

// Started reports that all remaining players have loaded. The first turn follows after one period.
type Started struct {
	reportOnly
	After time.Duration // time since 0x0B
}

// Turn reports a turn for the replay and the log. Its packets are in the preceding Frames. Turns are reported
// in order and without gaps. Empty packets of increment 0, which renew a lag screen, are not turns.
type Turn struct {
	reportOnly
	Number    uint32        // counted from 1
	Increment uint16        // game time in ms
	Actions   []byte        // encoded for w3gs.Actions; NextBatch splits it into packets
	Late      time.Duration // lateness of the turn
}

// Settled reports the hash of a turn that all voters have answered. Turns are settled in order and without
// gaps, except for turns that nobody could answer any more, and one that ended the game without a largest
// group.
type Settled struct {
	reportOnly
	Turn uint32
	Hash Hash
}

// Empty reports, for the replay, that every client receives Count empty 0x0C without duration at this
// position, either in the preceding Frames or from its proxy.
type Empty struct {
	reportOnly
	Count int
}

// PeriodChanged reports that turns have a different period from Turn on.
type PeriodChanged struct {
	reportOnly
	Period   time.Duration
	Turn     uint32
	Adaptive bool // changed by Config.Adaptive, not by SetPeriod
}

// ScreenUp reports that the lag screen has appeared.
type ScreenUp struct {
	reportOnly
	Turn    uint32 // last turn sent
	Laggers w3gs.PIDs
}

// Over describes how the game ended.
type Over struct {
	How      EndReason
	Turns    uint32
	GameTime time.Duration // sum of all increments
}

// DropReason is the reason why a player left the game, phrased to follow a name: "Blue lagged for too long".
type DropReason string

// Reasons. All but WhyLeft come with a Drop.
const (
	WhyLeft               DropReason = "left"                                    // Leave was called
	WhyActionWhileLoading DropReason = "sent an action while loading"            // protocol violation
	WhyActionTooLong      DropReason = "sent an action over 1027 bytes"          // protocol violation
	WhyActionFlood        DropReason = "sent far more actions than a player may" // exceeded waitingBursts × Config.ActionBurst
	WhyKeepaliveFlood     DropReason = "acknowledged more turns than were sent"  // protocol violation
	WhyLoadTimeout        DropReason = "did not load in time"
	WhyLagged             DropReason = "lagged for too long"
	WhyVotedOut           DropReason = "was voted out while lagging"
	WhyDroppedByHost      DropReason = "was dropped by the host while lagging" // by DropLaggers
	WhyObserverBehind     DropReason = "fell too far behind as an observer"
	WhyDesync             DropReason = "desynced" // different hash than the largest group
	WhyAckedUnsent        DropReason = "answered turns that had not been sent yet"
	WhyGameOver           DropReason = "was there when the game ended"
)

// reason returns the reason sent to the others when a player is dropped.
func (w DropReason) reason() w3gs.LeaveReason {
	if w == WhyDesync {
		return w3gs.LeaveLost
	}
	return w3gs.LeaveDisconnect
}

// EndReason is the way in which a game ended.
type EndReason string

// Ways in which a game ends.
const (
	EndAllLeft    EndReason = "all left"        // no human player is left
	EndLastPlayer EndReason = "one player left" // at most Config.LastPlayers were left for Config.LastPlayer
	EndDesync     EndReason = "desync"          // no largest group
	EndEnded      EndReason = "ended by the host"
)
