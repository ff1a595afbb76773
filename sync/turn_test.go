package gamesync

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// inGame is a game of n players who have loaded at time 0; its turns are due
// at 100 ms, 200 ms …
func inGame(tb testing.TB, n int, change func(*Config)) *Loop {
	tb.Helper()
	cfg := Defaults()
	for i := range n {
		cfg.Players = append(cfg.Players, Player{PID: uint8(i + 1), Name: string(rune('A' + i))})
	}
	if change != nil {
		change(&cfg)
	}
	l := New(cfg, &facts{})
	for pid := range l.Live().All() {
		l.Loaded(0, pid)
	}
	return l
}

// facts is a sink that keeps the facts.
type facts struct{ list []Fact }

func (*facts) Frames(w3gs.PIDs, []byte)                 {}
func (*facts) Drop(uint8, DropReason, bool)             {}
func (*facts) Left(uint8, w3gs.LeaveReason, DropReason) {}
func (*facts) Say(w3gs.PIDs, texts.Text)                {}
func (*facts) Loaded(uint8, time.Duration)              {}
func (*facts) Ballots(of, _ w3gs.PIDs) int              { return of.Len() }
func (*facts) Entered()                                 {}
func (*facts) Over(Over)                                {}

func (f *facts) Fact(fact Fact) { f.list = append(f.list, fact) }

// of takes the facts of one type since the last call.
func of[F Fact](sink *facts) (list []F) {
	for _, f := range sink.list {
		if f, ok := f.(F); ok {
			list = append(list, f)
		}
	}
	sink.list = sink.list[:0]
	return list
}

// TestTurnAllocatesNothing plays turns with actions and answers.
func TestTurnAllocatesNothing(t *testing.T) {
	s := newSteadyGame(t)
	for range 500 {
		s.turn()
	}
	if n := testing.AllocsPerRun(500, s.turn); n != 0 {
		t.Errorf("%v allocations per turn", n)
	}
	if s.l.Turns() != 1001 || s.l.GameTime() != 1001*s.l.pace.period {
		t.Errorf("%d turns, %v", s.l.Turns(), s.l.GameTime())
	}
}

func BenchmarkTurn(b *testing.B) {
	s := newSteadyGame(b)
	b.ReportAllocs()
	for b.Loop() {
		s.turn()
	}
}

// steadyGame is a game in which every second player acts in each turn and all
// answer.
type steadyGame struct {
	facts
	l   *Loop
	now time.Duration
}

func newSteadyGame(tb testing.TB) *steadyGame {
	s := &steadyGame{l: inGame(tb, 10, nil)}
	s.l.sink = s
	return s
}

func (s *steadyGame) reset() {
	s.l.Reset()
	s.list = s.list[:0]
}

var moveOrder = []byte{0x10, 0x42, 0, 3, 0, 0x0d, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func (s *steadyGame) turn() {
	live := s.l.Live()
	for pid := range live.All() {
		if pid%2 == 0 {
			s.reset()
			s.l.Action(s.now+30*time.Millisecond, pid, moveOrder)
		}
	}
	s.now += 100 * time.Millisecond
	s.reset()
	s.l.Tick(s.now)
	for pid := range live.All() {
		s.reset()
		s.l.Keepalive(s.now+20*time.Millisecond, pid, 0x1234)
	}
	if len(s.list) != 1 {
		panic("the last answer settles the turn and does nothing else")
	}
}

// TestMemoryIsBounded has an observer who never answers, while all send as
// much as they may.
func TestMemoryIsBounded(t *testing.T) {
	l := inGame(t, 3, func(c *Config) {
		c.Players[2].Observer = true
		c.DropAfter = 0
	})
	data, now := make([]byte, 1000), time.Duration(0)
	for range w3gs.MaxSyncLimit + 100 {
		now += 100 * time.Millisecond
		for pid := uint8(1); pid <= 3; pid++ {
			l.Action(now, pid, data)
		}
		l.Tick(now)
		l.Keepalive(now, 1, 1)
		l.Keepalive(now, 2, 1)
	}
	if l.Turns() != w3gs.MaxSyncLimit+100 {
		t.Errorf("%d turns", l.Turns())
	}
	if n := len(l.hashes.ring.turns); n > 2*(w3gs.MaxSyncLimit+reportTurns) {
		t.Errorf("%d turns are kept", n)
	}
	kept := 0
	for i := range l.hashes.ring.turns {
		kept += cap(l.hashes.ring.turns[i].actions)
	}
	if n := l.hashes.ring.kept; n > maxActionBytes || n < maxActionBytes-10_000 || kept > 2*maxActionBytes {
		t.Errorf("%d bytes of actions are kept, in %d", n, kept)
	}
	if l.Live() != w3gs.Only(1)|w3gs.Only(2) {
		t.Error("the observer is still there, ten thousand turns behind")
	}
}

// TestActionFlood sends while the game stands still: what waits is bounded.
func TestActionFlood(t *testing.T) {
	l := inGame(t, 3, func(c *Config) { c.SyncLimit = 1 })
	for now := time.Duration(0); now <= 300*time.Millisecond; now += 100 * time.Millisecond {
		l.Tick(now)
	}
	if l.Laggers().Len() != 3 {
		t.Fatal("no lag screen")
	}
	for range 1000 {
		l.Action(time.Second, 1, make([]byte, 1000))
		l.Action(time.Second, 2, make([]byte, 1))
	}
	if l.Live() != w3gs.Only(2)|w3gs.Only(3) || len(l.pending) > waitingBursts*defaultActionBurst+4000 {
		t.Errorf("live %b, %d bytes for the next turn", l.Live(), len(l.pending))
	}
}

// TestGameTimeIsRealTime checks that the increments add up to the time that
// has passed, for ticks that come at any time, and that no turn is early.
func TestGameTimeIsRealTime(t *testing.T) {
	l := inGame(t, 1, func(c *Config) { c.SyncLimit = w3gs.MaxSyncLimit })
	now := time.Duration(0)
	for i := range 5000 {
		now += time.Duration(1+i*7919%390) * time.Millisecond
		l.Tick(now)
		if d := now - l.GameTime(); d < 0 || d >= l.pace.period {
			t.Fatalf("at %v the game time is %v", now, l.GameTime())
		}
		if at, ok := l.Next(); !ok || at != l.GameTime()+l.pace.period {
			t.Fatalf("at %v the next turn is due at %v", now, at)
		}
	}
}
