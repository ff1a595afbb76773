package gamesync

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// delays plays a game in which players with lines of these round trips act at all sorts of moments, and
// returns the mean time that passes for each from an act to its turn.
func delays(t *testing.T, lines []time.Duration, equalise bool) (means []time.Duration) {
	t.Helper()
	cfg := Defaults()
	cfg.Equalise = equalise
	for i := range lines {
		cfg.Players = append(cfg.Players, Player{PID: uint8(i + 1), Name: fmt.Sprint(i + 1)})
	}
	sink := &facts{}
	l := New(cfg, sink)
	for i := range lines {
		l.Loaded(0, uint8(i+1))
		l.RTT(0, uint8(i+1), lines[i])
	}
	type arrival struct {
		at, acted time.Duration
		pid       uint8
	}
	var coming []arrival
	for i, rtt := range lines {
		for n := range 500 {
			acted := time.Second + time.Duration(n)*137*time.Millisecond + time.Duration(i)*time.Millisecond
			coming = append(coming, arrival{acted + rtt/2, acted, uint8(i + 1)})
		}
	}
	slices.SortFunc(coming, func(a, b arrival) int { return int(a.at - b.at) })
	acted := make([][]time.Duration, len(lines)+1) // by pid, in their order
	sums, counts := make([]time.Duration, len(lines)), make([]int, len(lines))
	for next := 0; counts[0] < 500; {
		at, _ := l.Next()
		if next < len(coming) && coming[next].at < at {
			c := coming[next]
			next++
			acted[c.pid] = append(acted[c.pid], c.acted)
			l.Action(c.at, c.pid, []byte{0x16, byte(len(acted[c.pid]))})
			continue
		}
		l.Tick(at)
		for _, turn := range of[*Turn](sink) {
			for pid, data := range w3gs.Actions(turn.Actions) {
				i := pid - 1
				if want := byte(counts[i] + 1); data[1] != want {
					t.Fatalf("an action of player %d overtakes another", pid)
				}
				seen := at + lines[i]/2
				sums[i] += seen - acted[pid][counts[i]]
				counts[i]++
			}
			for i := range lines {
				l.Keepalive(at, uint8(i+1), 0)
			}
		}
	}
	for i, n := range counts {
		means = append(means, (sums[i] / time.Duration(n)).Round(time.Millisecond))
	}
	return means
}

// TestEqualise: with lines of 10 to 200 ms nobody sees an action of their own sooner than
// others, and the slowest no later than before.
func TestEqualise(t *testing.T) {
	lines := []time.Duration{10, 30, 60, 100, 150, 200}
	for i := range lines {
		lines[i] *= time.Millisecond
	}
	before := delays(t, lines, false)
	after := delays(t, lines, true)
	t.Logf("round trips         %v", lines)
	t.Logf("from act to effect  %v", before)
	t.Logf("equalised           %v", after)
	last := len(lines) - 1
	if spread := before[last] - before[0]; spread < 150*time.Millisecond {
		t.Errorf("without it the lines make a difference of only %v", spread)
	}
	if spread := slices.Max(after) - slices.Min(after); spread > 10*time.Millisecond {
		t.Errorf("a difference of %v remains: %v", spread, after)
	}
	if after[last] > before[last]+time.Millisecond {
		t.Errorf("the slowest waits %v in place of %v", after[last], before[last])
	}
	// One line that hardly works costs the others two turns and no more.
	lines[last] = 3 * time.Second
	if means := delays(t, lines, true); means[0] > before[0]+mostHeld*100*time.Millisecond+10*time.Millisecond {
		t.Errorf("a line of 3 s makes the others wait %v", means)
	}
}
