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

// TestStallForTooLong: they are dropped when their time is up, not before.
func TestStallForTooLong(t *testing.T) { inBubble(t, testStallForTooLong) }

func testStallForTooLong(t *testing.T) {
	r := lagRig(t)
	_, players := r.play(10)
	lagger, others := players[9], players[:9]
	lagger.Stall()
	testkit.Eventually(t, "lag screen", func() bool { return others[0].Count(0x10) > 0 })
	for _, c := range others {
		c.Until(0x10)
		up := c.All()[c.Cursor-1].At
		if b := c.Until(0x07); !matches(fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", lagger.PID), b) {
			t.Errorf("%s: got %X for the leave", c.Name, b)
		}
		left, screen := c.All()[c.Cursor-1], c.All()[c.Cursor-2]
		if screen.B[1] != 0x11 || screen.B[4] != lagger.PID {
			t.Errorf("%s: got %X before the leave", c.Name, screen.B)
		}
		if stood := left.At.Sub(up); stood < dropAfter-lagTurn || stood > dropAfter+lagTurn {
			t.Errorf("%s: dropped after %v, want %v", c.Name, stood, dropAfter)
		}
		if n := c.Count(0x10); n != 2 {
			t.Errorf("%s: the lag screen came up %d times, want again shortly before a minute is over", c.Name, n)
		}
		c.UntilText("gone")
		c.Until(0x0C)
	}
	checkSameStream(t, others)
	if drop := recorded[storage.DropEvent](r); drop.PID != lagger.PID || drop.Reason != "lagged for too long" {
		t.Errorf("recorded %+v", drop)
	}
	if line := r.logged("player dropped"); line["player"] != lagger.Name {
		t.Errorf("logged %v", line)
	}
}

// TestVote: two of ten stall; five votes of the eight drop both at once.
func TestVote(t *testing.T) { inBubble(t, testVote) }

func testVote(t *testing.T) {
	r := lagRig(t)
	deaf := func(c *client, b []byte) { // from the same turn on
		if b[1] != 0x0C || c.Count(0x0C) < 20 {
			player(c, b)
		}
	}
	g := r.lobby(10)
	var players []*client
	for i := range 10 {
		conduct := player
		if i >= 8 {
			conduct = deaf
		}
		players = append(players, r.join(g, fmt.Sprintf("P%d", i+1), conduct))
	}
	r.begin(players...)
	voters := players[:8]
	for _, c := range voters {
		c.Until(0x10)
	}
	var begin time.Time
	for i, c := range voters {
		if i == 4 { // half of them is not enough
			time.Sleep(5 * lagTurn)
			if n := c.Count(0x07); n != 1 {
				t.Errorf("%d leaves after four votes of eight", n)
			}
			begin = time.Now()
		}
		c.Send(packet(0x29), packet(0x29)) // one voice each
	}
	for _, c := range voters {
		gone := map[byte]bool{}
		for len(gone) < 2 {
			b := c.Until(0x07)
			gone[b[4]] = true
			if at := c.All()[c.Cursor-1].At; at.Sub(begin) > 2*lagTurn {
				t.Errorf("%s: dropped only %v after the votes", c.Name, at.Sub(begin))
			}
		}
		if !gone[players[8].PID] || !gone[players[9].PID] {
			t.Errorf("%s: %v are gone", c.Name, gone)
		}
		mark := c.Count(0x0C)
		testkit.Eventually(t, "turns afterwards", func() bool { return c.Count(0x0C) > mark+3 })
		if c.Count(0x07) != 3 {
			t.Errorf("%s saw %d leaves", c.Name, c.Count(0x07))
		}
	}
	checkSameStream(t, voters)
	for _, drop := range recordsOf[storage.DropEvent](r) {
		if drop.Reason != "was voted out while lagging" {
			t.Errorf("recorded %+v", drop)
		}
	}
}

// TestLeavesOnTheLagScreen: one lagger hangs up, another is kicked by the owner;
// when none is left the game goes on.
func TestLeavesOnTheLagScreen(t *testing.T) { inBubble(t, testLeavesOnTheLagScreen) }

func testLeavesOnTheLagScreen(t *testing.T) {
	r := lagRig(t)
	_, players := r.play(4)
	first, second, others := players[2], players[3], players[:2]
	for _, c := range []*client{first, second} {
		c.Stall()
	}
	others[0].Until(0x10)
	if n := others[0].All()[others[0].Cursor-1].B[4]; n == 1 { // the second comes up when the first is gone
		t.Log("only one was behind far enough at first")
	}
	_ = first.Conn.Close()
	others[0].Until(0x07)
	others[0].SayInGame("!kick "+second.Name, others[1].PID)
	for _, c := range others {
		for c.Count(0x07) < 3 {
			c.Until(0x07)
		}
		mark := c.Count(0x0C)
		testkit.Eventually(t, "turns afterwards", func() bool { return c.Count(0x0C) > mark+3 })
	}
	checkSameStream(t, others)
}

// TestLastPlayer: the game of one who is left alone ends after a while, with a
// line that says why.
func TestLastPlayer(t *testing.T) { inBubble(t, testLastPlayer) }

func testLastPlayer(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Turns.LastPlayer = time.Second })
	_, players := r.play(3)
	for _, c := range players[1:] {
		c.Send(packet(0x21, uint32(9)))
	}
	alone := players[0]
	alone.UntilText("everybody else has left")
	wantFIN(t, alone)
	if end := recorded[storage.GameEnded](r); end.How != storage.EndFinished || end.Detail != "one player left" {
		t.Errorf("recorded %+v", end)
	}
	for _, left := range recordsOf[storage.PlayerLeft](r) {
		if left.PID != alone.PID && left.Code != 9 {
			t.Errorf("recorded %+v", left)
		}
	}
}

// TestAllLeaveAtOnce: the game is over, once, and nothing of it stays.
func TestAllLeaveAtOnce(t *testing.T) { inBubble(t, testAllLeaveAtOnce) }

func testAllLeaveAtOnce(t *testing.T) {
	r := newRig(t, nil)
	g, players := r.play(10)
	for i, c := range players {
		if i%2 == 0 {
			c.Send(packet(0x21, uint32(7)))
		}
		_ = c.Conn.Close()
	}
	testkit.Eventually(t, "the end of the game", func() bool { return r.h.Game(g.ID()) == nil })
	end := recorded[storage.GameEnded](r)
	if end.How != storage.EndFinished || end.Detail != "all left" || len(recordsOf[storage.GameEnded](r)) != 1 {
		t.Errorf("recorded %+v", recordsOf[storage.GameEnded](r))
	}
	if n := len(recordsOf[storage.PlayerLeft](r)); n != 10 {
		t.Errorf("%d leaves were recorded, want one for each of ten", n)
	}
}
