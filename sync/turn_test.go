package gamesync

import (
	"testing"
	"time"

	"w3host/w3gs"
)

// inGame is a game of n players who have loaded at time 0; its turns are due
// at 100 ms, 200 ms …
func inGame(tb testing.TB, n int, change func(*Config)) *Game {
	tb.Helper()
	cfg := Defaults()
	for i := range n {
		cfg.Players = append(cfg.Players, Player{PID: uint8(i + 1), Name: string(rune('A' + i))})
	}
	if change != nil {
		change(&cfg)
	}
	g := New(cfg)
	for pid := range g.Live().All() {
		g.Handle(0, Loaded{pid}, nil)
	}
	return g
}

// TestTurnAllocatesNothing plays turns with actions and answers.
func TestTurnAllocatesNothing(t *testing.T) {
	s := steadyGame{g: inGame(t, 10, nil)}
	for range 500 {
		s.turn()
	}
	if n := testing.AllocsPerRun(500, s.turn); n != 0 {
		t.Errorf("%v allocations per turn", n)
	}
	if s.g.Turns() != 1001 || s.g.GameTime() != 1001*s.g.period {
		t.Errorf("%d turns, %v", s.g.Turns(), s.g.GameTime())
	}
}

func BenchmarkTurn(b *testing.B) {
	s := steadyGame{g: inGame(b, 10, nil)}
	b.ReportAllocs()
	for b.Loop() {
		s.turn()
	}
}

// steadyGame is a game in which every second player acts in each turn and all
// answer.
type steadyGame struct {
	g   *Game
	now time.Duration
	out []Effect
}

var moveOrder = []byte{0x10, 0x42, 0, 3, 0, 0x0d, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func (s *steadyGame) turn() {
	live := s.g.Live()
	for pid := range live.All() {
		if pid%2 == 0 {
			s.out = s.g.Action(s.now+30*time.Millisecond, pid, moveOrder, s.out[:0])
		}
	}
	s.now += 100 * time.Millisecond
	s.out = s.g.Tick(s.now, s.out[:0])
	for pid := range live.All() {
		s.out = s.g.Keepalive(s.now+20*time.Millisecond, pid, 0x1234, s.out[:0])
	}
	if len(s.out) != 1 {
		panic("the last answer settles the turn and does nothing else")
	}
}

// TestMemoryIsBounded has an observer who never answers, while all send as
// much as they may.
func TestMemoryIsBounded(t *testing.T) {
	g := inGame(t, 3, func(c *Config) {
		c.Players[2].Observer = true
		c.DropAfter = 0
	})
	data, now := make([]byte, 1000), time.Duration(0)
	for range w3gs.MaxSyncLimit + 100 {
		now += 100 * time.Millisecond
		for pid := uint8(1); pid <= 3; pid++ {
			g.Action(now, pid, data, nil)
		}
		g.Tick(now, nil)
		g.Keepalive(now, 1, 1, nil)
		g.Keepalive(now, 2, 1, nil)
	}
	if g.Turns() != w3gs.MaxSyncLimit+100 {
		t.Errorf("%d turns", g.Turns())
	}
	if n := len(g.history.turns); n > 2*(w3gs.MaxSyncLimit+reportTurns) {
		t.Errorf("%d turns are kept", n)
	}
	kept := 0
	for i := range g.history.turns {
		kept += cap(g.history.turns[i].actions)
	}
	if n := g.history.kept; n > maxActionBytes || n < maxActionBytes-10_000 || kept > 2*maxActionBytes {
		t.Errorf("%d bytes of actions are kept, in %d", n, kept)
	}
	if g.Live() != w3gs.Only(1)|w3gs.Only(2) {
		t.Error("the observer is still there, ten thousand turns behind")
	}
}

// TestActionFlood sends while the game stands still: what waits is bounded.
func TestActionFlood(t *testing.T) {
	g := inGame(t, 3, func(c *Config) { c.SyncLimit = 1 })
	for now := time.Duration(0); now <= 300*time.Millisecond; now += 100 * time.Millisecond {
		g.Tick(now, nil)
	}
	if g.Laggers().Len() != 3 {
		t.Fatal("no lag screen")
	}
	for range 1000 {
		g.Action(time.Second, 1, make([]byte, 1000), nil)
		g.Action(time.Second, 2, make([]byte, 1), nil)
	}
	if g.Live() != w3gs.Only(2)|w3gs.Only(3) || len(g.pending) > waitingBursts*defaultActionBurst+4000 {
		t.Errorf("live %b, %d bytes for the next turn", g.Live(), len(g.pending))
	}
}

// TestGameTimeIsRealTime checks that the increments add up to the time that
// has passed, for ticks that come at any time, and that no turn is early.
func TestGameTimeIsRealTime(t *testing.T) {
	g := inGame(t, 1, func(c *Config) { c.SyncLimit = w3gs.MaxSyncLimit })
	now := time.Duration(0)
	for i := range 5000 {
		now += time.Duration(1+i*7919%390) * time.Millisecond
		g.Tick(now, nil)
		if d := now - g.GameTime(); d < 0 || d >= g.period {
			t.Fatalf("at %v the game time is %v", now, g.GameTime())
		}
		if at, ok := g.Next(); !ok || at != g.GameTime()+g.period {
			t.Fatalf("at %v the next turn is due at %v", now, at)
		}
	}
}
