package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Event is something that happened. One about a pid that is not in the game is
// ignored.
type Event interface{ apply(l *Loop) }

type (
	// Loaded is a player's 0x23.
	Loaded struct{ PID uint8 }

	// DropVote is a player's 0x29. More than half of the players who do not lag
	// drop all laggers. While players load in game it takes more than half of all
	// players, or the first two to load could throw out the rest.
	DropVote struct{ PID uint8 }

	// Leave says that a player is gone: the client sent 0x21, the connection is
	// lost (reason 1), or the host has kicked.
	Leave struct {
		PID    uint8
		Reason w3gs.LeaveReason
	}

	// Absent says that a player's connection is lost and may come back. Nothing
	// else changes until the player lags: then the lag screen waits for Wait instead
	// of DropAfter, counted from when it came up.
	Absent struct {
		PID  uint8
		Wait time.Duration
	}

	// Back says that an absent player has a connection again. On the lag screen
	// there is DropAfter from now on to catch up.
	Back struct{ PID uint8 }

	// RTT is the newest round trip of a player's ping.
	RTT struct {
		PID uint8
		RTT time.Duration
	}

	// Backlog is how many bytes wait in the host for a player's socket, and a number
	// that changes whenever the socket takes some. It comes before each Tick at
	// which something waits, and once when nothing does any more.
	Backlog struct {
		PID    uint8
		Queued int
		Moves  uint64
	}

	// Survived says that the host was away for that long: every player's socket counts as
	// new, and anything late meanwhile was late because of the host.
	Survived struct{ Outage time.Duration }

	// Align puts the turns on Beat modulo the period, so that a host can spread
	// the turns of many games; the first then comes one to two periods after
	// loading. It must come before all have loaded.
	Align struct{ Beat time.Duration }

	// SetPeriod changes the time between turns, from w3gs.MinPeriod to w3gs.MaxPeriod,
	// from the next turn on. The turn that is under way keeps its time and its
	// increment. It turns the adaptive period off.
	SetPeriod struct{ Period time.Duration }

	// SetSyncLimit changes how many turns a player may be behind, from 1 to
	// w3gs.MaxSyncLimit, from the next turn on.
	SetSyncLimit struct{ Turns int }

	// DropLaggers drops everybody on the lag screen, as an operator's command.
	DropLaggers struct{}

	// End stops the game at once. Why, if it is not empty, is said to the players;
	// those whose clients load get nothing, see Drop.
	End struct{ Why texts.Text }
)

// Handle takes one event and appends what follows from it to out. It keeps
// nothing of the event.
func (l *Loop) Handle(now time.Duration, ev Event, out []Effect) []Effect {
	if l.enter(now, out); l.phase != over {
		ev.apply(l)
		l.settle()
	}
	return l.out.effects
}

// Action takes the data of a player's 0x26, or an action of the host for a fake
// player. It goes out with the next turn, or the first that the player's budget
// allows, after all that came before it. While others still load it waits for the
// first turn.
//
// Action and Keepalive come most by far, so they are no events, and allocate nothing.
func (l *Loop) Action(now time.Duration, pid uint8, data []byte, out []Effect) []Effect {
	if l.enter(now, out); l.phase != over {
		live := l.live
		if l.action(pid, data); l.live != live {
			l.settle()
		}
	}
	return l.out.effects
}

// Keepalive takes a player's 0x27, the answer to the next unanswered turn.
func (l *Loop) Keepalive(now time.Duration, pid uint8, sum uint32, out []Effect) []Effect {
	if l.enter(now, out); l.phase != over {
		l.keepalive(pid, sum)
		l.settle()
	}
	return l.out.effects
}

func (e Align) apply(l *Loop) { l.pace.align, l.pace.beat = true, e.Beat }

func (e SetPeriod) apply(l *Loop) {
	l.cfg.Adaptive.On = false
	l.pace.next, l.pace.byRTT = clampPeriod(e.Period), false
}

func (e SetSyncLimit) apply(l *Loop) { l.pace.nextLimit = e.Turns }

func (DropLaggers) apply(l *Loop) {
	if l.screenIsUp() {
		l.dropAll(l.Laggers(), WhyDroppedByHost)
	}
}

func (e End) apply(l *Loop) {
	if to := l.inside(); to != 0 && !e.Why.Empty() {
		l.out.emit(&Say{To: to, Text: e.Why})
	}
	l.finish(HowEnded)
}
