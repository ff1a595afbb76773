package gamesync

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
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
	l := New(cfg)
	for pid := range l.Live().All() {
		l.Handle(0, Loaded{pid}, nil)
	}
	return l
}

// TestTurnAllocatesNothing plays turns with actions and answers.
func TestTurnAllocatesNothing(t *testing.T) {
	s := steadyGame{l: inGame(t, 10, nil)}
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
	s := steadyGame{l: inGame(b, 10, nil)}
	b.ReportAllocs()
	for b.Loop() {
		s.turn()
	}
}

// steadyGame is a game in which every second player acts in each turn and all
// answer.
type steadyGame struct {
	l   *Loop
	now time.Duration
	out []Effect
}

var moveOrder = []byte{0x10, 0x42, 0, 3, 0, 0x0d, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func (s *steadyGame) turn() {
	live := s.l.Live()
	for pid := range live.All() {
		if pid%2 == 0 {
			s.out = s.l.Action(s.now+30*time.Millisecond, pid, moveOrder, s.out[:0])
		}
	}
	s.now += 100 * time.Millisecond
	s.out = s.l.Tick(s.now, s.out[:0])
	for pid := range live.All() {
		s.out = s.l.Keepalive(s.now+20*time.Millisecond, pid, 0x1234, s.out[:0])
	}
	if len(s.out) != 1 {
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
			l.Action(now, pid, data, nil)
		}
		l.Tick(now, nil)
		l.Keepalive(now, 1, 1, nil)
		l.Keepalive(now, 2, 1, nil)
	}
	if l.Turns() != w3gs.MaxSyncLimit+100 {
		t.Errorf("%d turns", l.Turns())
	}
	if n := len(l.hashes.history.turns); n > 2*(w3gs.MaxSyncLimit+reportTurns) {
		t.Errorf("%d turns are kept", n)
	}
	kept := 0
	for i := range l.hashes.history.turns {
		kept += cap(l.hashes.history.turns[i].actions)
	}
	if n := l.hashes.history.kept; n > maxActionBytes || n < maxActionBytes-10_000 || kept > 2*maxActionBytes {
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
		l.Tick(now, nil)
	}
	if l.Laggers().Len() != 3 {
		t.Fatal("no lag screen")
	}
	for range 1000 {
		l.Action(time.Second, 1, make([]byte, 1000), nil)
		l.Action(time.Second, 2, make([]byte, 1), nil)
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
		l.Tick(now, nil)
		if d := now - l.GameTime(); d < 0 || d >= l.pace.period {
			t.Fatalf("at %v the game time is %v", now, l.GameTime())
		}
		if at, ok := l.Next(); !ok || at != l.GameTime()+l.pace.period {
			t.Fatalf("at %v the next turn is due at %v", now, at)
		}
	}
}
