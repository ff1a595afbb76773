package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/storage"
)

// The limits of a game in the lag tests.
const (
	lagTurn   = 100 * time.Millisecond
	lagTurns  = 50 // behind, until the lag screen comes up
	lagStall  = 10 * time.Second
	dropAfter = time.Minute
)

// lagRig starts a host whose games have these limits.
func lagRig(t *testing.T) *rig {
	return newRig(t, func(o *Options) {
		o.Game.Turns.Period, o.Game.Turns.SyncLimit, o.Game.Turns.DropAfter = lagTurn, lagTurns, dropAfter
	})
}

// TestStallOfOne: the screen comes up, the others wait, it goes down, and nobody
// is dropped.
func TestStallOfOne(t *testing.T) { inBubble(t, testStallOfOne) }

func testStallOfOne(t *testing.T) {
	r := lagRig(t)
	_, players := r.play(10)
	lagger, others := players[9], players[:9]
	resume := lagger.Stall()
	testkit.Eventually(t, "lag screen", func() bool { return others[0].Count(0x10) > 0 })
	time.Sleep(lagStall)
	resume()

	for _, c := range players {
		if b := c.Until(0x10); !matches(fmt.Sprintf("F7 10 0A 00 01 %02X 00 00 00 00", lagger.PID), b) {
			t.Errorf("%s: got %X for the lag screen", c.Name, b)
		}
		up := c.All()[c.Cursor-1].At
		b := c.Next() // the very next thing: no turn, nothing else
		if !matches(fmt.Sprintf("F7 11 09 00 %02X ?? ?? 00 00", lagger.PID), b) {
			t.Fatalf("%s: got %X while the game stood still", c.Name, b)
		}
		lag := time.Duration(int(b[5])|int(b[6])<<8) * time.Millisecond
		if stood := c.All()[c.Cursor-1].At.Sub(up); c != lagger && (lag < lagStall || lag > lagStall+200*time.Millisecond || (lag-stood).Abs() > 100*time.Millisecond) {
			t.Errorf("%s: stood for %v, the screen says %v, the stall was %v", c.Name, stood, lag, lagStall)
		}
	}
	for _, c := range others {
		line := c.UntilText("Lag:")
		if !strings.Contains(line, lagger.Name) {
			t.Errorf("%s reads %q", c.Name, line)
		}
		before := c.Count(0x0C)
		testkit.Eventually(t, "turns afterwards", func() bool { return c.Count(0x0C) > before+5 })
		if c.Count(0x07) != 1 || c.Ending() != nil {
			t.Errorf("%s: %d leaves, want the virtual host's alone; %v", c.Name, c.Count(0x07), c.Ending())
		}
	}
	checkSameStream(t, players)
	lags := recordsOf[storage.LagEvent](r)
	lags = slices.DeleteFunc(lags, func(l storage.LagEvent) bool { return l.PID != lagger.PID })
	if len(lags) != 1 {
		t.Fatalf("recorded %+v", lags)
	}
	if lag := lags[0]; lag.Lasted < lagStall || lag.Behind != uint32(lagTurns)+1 {
		t.Errorf("recorded %+v", lag)
	}
}

// checkSameStream: turns, leaves and lag screens came to all in one order, as far
// as each has read.
func checkSameStream(t *testing.T, players []*client) {
	t.Helper()
	var streams [][]string
	for _, c := range players {
		var stream []string
		for _, p := range c.All() {
			switch p.B[1] {
			case 0x07, 0x0C, 0x10, 0x11, 0x48:
				stream = append(stream, fmt.Sprintf("%X", p.B))
			}
		}
		streams = append(streams, stream)
	}
	for i, s := range streams[1:] {
		for n := range min(len(s), len(streams[0])) {
			if s[n] != streams[0][n] {
				t.Fatalf("packet %d is %s for %s and %s for %s", n, streams[0][n], players[0].Name, s[n], players[i+1].Name)
			}
		}
	}
}
