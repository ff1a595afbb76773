package game

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// turnLedger is what the referee knows of the turns. It counts for itself what the
// rules go by: who has answered which turn, who has left, and when turns are due.
type turnLedger struct {
	cfg    gamesync.Config
	now    time.Duration
	from   time.Duration // the players load since
	late   time.Duration // how late the input comes, by what Next said before
	asleep time.Duration // the last input that came so late that the host was suspended
	beat   time.Duration // where turns are to be; below 0: anywhere

	humans, observers, live, loaded w3gs.PIDs
	mischief                        w3gs.PIDs // they have sent what no client sends
	skipped                         w3gs.PIDs // observers for whose answers no turn waits
	starting, started, over         bool

	sums     [w3gs.MaxPID + 1][]uint32 // the answers to turns
	settled  []uint32                  // the answers that hold
	before   int                       // turns settled before this input
	turns    int
	burst    int           // turns since this input
	expect   []byte        // actions of the next turn
	limit    int           // in force
	next     int           // the limit from the next turn on, in turns of 100 ms
	due      time.Duration // of the last turn
	gameTime time.Duration
	moved    time.Duration // the last turn, or the start of turns
	adapted  time.Duration // when the period followed the round trip last; 0: never
	fixed    bool          // the period was set by command
	aligned  bool
	stopping bool // this input is the stop of the host

	laggers  w3gs.PIDs // on the lag screen before this input
	standing bool      // the lag screen is up
	stood    bool      // it was up since the last turn
	resumed  time.Duration
	votes    w3gs.PIDs
	losers   w3gs.PIDs // of a desync since this input
	tied     bool      // it had no winners
	differs  w3gs.PIDs // who has now answered a settled turn otherwise
}

// hear takes an input before the machine does. The laggers are those that the machine
// has had so far.
func (t *turnLedger) hear(e *JournalItem, pid uint8, late time.Duration, m *Machine) {
	t.now, t.late, t.before, t.burst, t.losers, t.tied = e.At, late, len(t.settled), 0, 0, false
	t.stopping, t.differs = e.Input.Kind == Stop, 0
	if late > time.Duration(t.cfg.CatchUp)*w3gs.MinPeriod {
		t.asleep = e.At
	}
	if m.turns == nil {
		return
	}
	t.laggers = m.turns.Laggers()
	if e.Input.Kind == Beat && !t.started {
		t.aligned, t.beat = true, e.Input.By
	}
	if !t.live.Has(pid) {
		return
	}
	one := w3gs.Only(pid)
	switch in := &e.Input; in.Kind {
	case Keepalive:
		if len(t.sums[pid]) == t.turns {
			t.mischief |= one
			return
		}
		t.sums[pid] = append(t.sums[pid], in.Sum)
		if n := len(t.sums[pid]); n <= len(t.settled) && t.settled[n-1] != in.Sum {
			t.differs = one
		}
		if 2*t.behind(pid) < t.limit {
			t.skipped &^= one
		}
	case Action:
		if !t.loaded.Has(pid) || len(in.Data) > w3gs.MaxActionLen {
			t.mischief |= one
			return
		}
		t.expect = w3gs.AppendAction(t.expect, pid, in.Data)
	case Packet:
		switch in.Packet.(type) {
		case *w3gs.DropReq:
			if !t.laggers.Has(pid) {
				t.votes |= one
			}
		case *w3gs.LeaveGame:
			t.live &^= one
		}
	}
}

func (t *turnLedger) behind(pid uint8) int { return t.turns - len(t.sums[pid]) }

// exempt reports whether the game does not wait for a player.
func (t *turnLedger) exempt(pid uint8) bool {
	return t.observers.Has(pid) && t.cfg.ObserversNeverStop
}

// boundary is where a turn is due: before a turn, or before the lag screen comes up.
func (t *turnLedger) boundary() (overdue w3gs.PIDs) {
	for pid := range t.live.All() {
		switch {
		case t.behind(pid) <= t.limit:
		case t.exempt(pid):
			t.skipped |= w3gs.Only(pid)
		default:
			overdue |= w3gs.Only(pid)
		}
	}
	return overdue
}

func (t *turnLedger) fact(s *Stamped, fakes w3gs.PIDs) error {
	switch f := s.Fact.(type) {
	case *Opened:
		t.cfg, t.limit, t.next, t.asleep = f.Config.Turns, f.Config.Turns.SyncLimit, f.Config.Turns.SyncLimit, -1
	case *Commanded:
		t.commanded(f)
	case *Started:
		t.starting, t.from = true, s.At
		for _, p := range f.Players {
			t.humans |= w3gs.Only(p.PID)
			if p.Observer {
				t.observers |= w3gs.Only(p.PID)
			}
		}
		t.live = t.humans
	case *Loaded:
		t.loaded |= w3gs.Only(f.PID)
	case *AllLoaded:
		t.started, t.moved, t.due, t.limit = true, s.At, s.At, t.next
	case *Acted:
		if fakes.Has(f.PID) {
			t.expect = w3gs.AppendAction(t.expect, f.PID, f.Data)
		}
	case *LinkLost:
		if t.starting && f.Wait == 0 {
			t.live &^= w3gs.Only(f.PID)
		}
	case *Dropped:
		return t.dropped(f)
	case *Turned:
		return t.turned(f)
	case *ScreenUp:
		return t.screenUp(f)
	case *Lagged:
		return t.lagged(f)
	case *PeriodChanged:
		return t.periodChanged(f)
	case *Settled:
		return t.settles(f)
	case *Desynced:
		return t.desynced(f)
	case *Over:
		return t.ended(f)
	}
	return nil
}

// commanded notes what an operator has set.
func (t *turnLedger) commanded(f *Commanded) {
	n, err := strconv.Atoi(f.Detail)
	switch {
	case f.Refused != "" || err != nil:
	case f.Name == "synclimit":
		t.next = n
	case f.Name == "latency" && t.starting:
		t.fixed = true
	}
}

// turned holds a turn against what must be in it and when it was due.
func (t *turnLedger) turned(f *Turned) error {
	if int(f.Number) != t.turns+1 {
		return fmt.Errorf("turn %d after %d turns", f.Number, t.turns)
	}
	if !bytes.Equal(f.Actions, t.expect) {
		return fmt.Errorf("turn %d has %d bytes of actions, %d have arrived", f.Number, len(f.Actions), len(t.expect))
	}
	if overdue := t.boundary(); overdue != 0 || t.standing {
		return fmt.Errorf("turn %d is sent although %b are too far behind (lag screen %v)", f.Number, overdue, t.standing)
	}
	if t.burst++; t.burst > t.cfg.CatchUp+1 {
		return fmt.Errorf("%d turns at once", t.burst)
	}
	awake := t.asleep <= t.due
	due, increment := t.now-f.Late, time.Duration(f.Increment)*time.Millisecond
	switch step := due - t.due; {
	case f.Late < 0:
		return fmt.Errorf("turn %d is early by %v", f.Number, -f.Late)
	case awake && f.Late > t.late+clock:
		return fmt.Errorf("turn %d is %v late, the host was so by %v", f.Number, f.Late, t.late)
	case f.Number == 1 && t.aligned && (step < increment || step >= 2*increment || t.asleep < t.from && (due-t.beat)%increment != 0):
		return fmt.Errorf("the first turn is due %v after loading, at %v; it should be on the beat %v", step, due, t.beat)
	case step == increment, f.Number == 1 && t.aligned:
	case step < increment:
		return fmt.Errorf("turn %d is due %v after the one before and says %v", f.Number, step, increment)
	case awake && !t.stood:
		return fmt.Errorf("turn %d is due %v after the one before, not %v, and nothing stood still", f.Number, step, increment)
	case awake && (due <= t.resumed || due > t.resumed+increment):
		return fmt.Errorf("turn %d is due at %v, the game goes on since %v", f.Number, due, t.resumed)
	}
	t.turns++
	t.gameTime += increment
	t.due, t.moved, t.stood, t.limit, t.expect = due, t.now, false, inTurns(t.next, increment), t.expect[:0]
	return nil
}

// inTurns is how many turns of a period last as long as so many of 100 ms.
func inTurns(limit int, period time.Duration) int {
	all := time.Duration(limit) * 100 * time.Millisecond
	return int((all + period - 1) / period)
}

func (t *turnLedger) periodChanged(f *PeriodChanged) error {
	t.limit = inTurns(t.next, f.Period)
	a := t.cfg.Adaptive
	switch {
	case f.Period < w3gs.MinPeriod || f.Period > w3gs.MaxPeriod:
		return fmt.Errorf("a period of %v", f.Period)
	case !f.Adaptive:
		return nil
	case !a.On || t.fixed:
		return fmt.Errorf("the period follows the round trip although it must not")
	case f.Period < a.Min || f.Period > a.Max:
		return fmt.Errorf("the period %v, of round trips, is out of bounds", f.Period)
	case t.adapted > 0 && t.asleep < t.adapted && t.now-t.adapted < 9*time.Second: // it was decided up to a period before
		return fmt.Errorf("the period changes at %v and again at %v", t.adapted, t.now)
	}
	t.adapted = t.now
	return nil
}

// dropped holds the reason of a drop against what the player did.
func (t *turnLedger) dropped(f *Dropped) error {
	var just bool
	switch gamesync.DropReason(f.Why) {
	case gamesync.WhyActionWhileLoading, gamesync.WhyActionTooLong, gamesync.WhyKeepaliveFlood:
		just = t.mischief.Has(f.PID)
	case gamesync.WhyLoadTimeout:
		just = !t.loaded.Has(f.PID) && (t.asleep >= 0 || t.now-t.from >= t.cfg.LoadTimeout)
	case gamesync.WhyVotedOut:
		electors := t.live
		if t.started {
			electors &^= t.laggers
		}
		just = t.laggers.Has(f.PID) && 2*(t.votes&electors).Len() > electors.Len()
	case gamesync.WhyLagged, gamesync.WhyDroppedByHost:
		just = t.laggers.Has(f.PID)
	case gamesync.WhyObserverBehind:
		just = t.exempt(f.PID) && t.behind(f.PID) > t.limit
	case gamesync.WhyDesync:
		just = t.tied || t.losers.Has(f.PID)
	case gamesync.WhyActionFlood: // nobody sends that much
	default:
		just = true
	}
	if t.live &^= w3gs.Only(f.PID); t.starting && !just {
		return fmt.Errorf("pid %d %s, which is not so", f.PID, f.Why)
	}
	return nil
}

// ended looks at the finished game as a whole.
func (t *turnLedger) ended(f *Over) error {
	t.over = true
	if f.GameTime != t.gameTime || int(f.Turns) != t.turns {
		return fmt.Errorf("the end says %v, %d turns; there were %v, %d", f.GameTime, f.Turns, t.gameTime, t.turns)
	}
	switch n := t.live.Len(); {
	case (f.How == gamesync.EndDesync) != t.tied, (f.How == gamesync.EndAllLeft) != (n == 0 && !t.tied), f.How == gamesync.EndLastPlayer && n != 1:
		return fmt.Errorf("the game ends by %q with %d players, desync without a winner: %v", f.How, n, t.tied)
	}
	return nil
}

// check holds the state of the machine against the rules after every input.
func (t *turnLedger) check(m *Machine) error {
	if !t.starting || t.over {
		return nil
	}
	if live := m.turns.Live(); live != t.live {
		return fmt.Errorf("the game has the players %b, there are %b", live, t.live)
	}
	if t.live == 0 {
		return fmt.Errorf("nobody is left and the game goes on")
	}
	if err := t.checkScreen(m.turns.Laggers()); err != nil {
		return err
	}
	if err := t.checkAnswers(); err != nil {
		return err
	}
	longest := t.cfg.DropAfter + max(m.cfg.Reconnect.Wait, m.cfg.Reconnect.ExtendedWait)
	since := t.moved
	if !t.started {
		longest, since = t.cfg.LoadTimeout, t.from
	}
	if t.now-since > longest+2*time.Second && t.asleep < since {
		return fmt.Errorf("nothing has moved since %v", since)
	}
	return nil
}
