package gamesync

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestAdaptivePeriod plays an hour for each kind of line. The period must get
// to where the players' round trip is, and stay.
func TestAdaptivePeriod(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	tests := []struct {
		name       string
		rtt        func(now time.Duration, pid uint8, r *rand.Rand) time.Duration
		want       time.Duration // at the end, give or take the band
		maxChanges int
		maxTurns   int // changes against the one before
	}{
		{"a quiet LAN", func(time.Duration, uint8, *rand.Rand) time.Duration { return ms(2) }, ms(50), 1, 0},
		{"steady 120 ms", func(time.Duration, uint8, *rand.Rand) time.Duration { return ms(120) }, ms(120), 1, 0},
		{"120 ms with half as much noise", func(_ time.Duration, _ uint8, r *rand.Rand) time.Duration {
			return ms(90 + r.IntN(60))
		}, ms(120), 2, 1},
		{"on the edge of the band", func(_ time.Duration, _ uint8, r *rand.Rand) time.Duration {
			return ms(115 + r.IntN(20))
		}, ms(125), 1, 0},
		{"one slow player of four", func(_ time.Duration, pid uint8, _ *rand.Rand) time.Duration {
			return ms(map[bool]int{true: 900, false: 80}[pid == 3])
		}, ms(80), 1, 0},
		{"the line gets worse after half an hour", func(now time.Duration, _ uint8, _ *rand.Rand) time.Duration {
			return ms(map[bool]int{true: 60, false: 200}[now < 30*time.Minute])
		}, ms(200), 8, 1},
		{"up and down every 20 s", func(now time.Duration, _ uint8, _ *rand.Rand) time.Duration {
			return ms(map[bool]int{true: 60, false: 240}[now/(20*time.Second)%2 == 0])
		}, 0, 8, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := inGame(t, 4, func(c *Config) { c.Adaptive.On = true })
			r := rand.New(rand.NewPCG(1, 2))
			changes := adaptiveHour(l, func(now time.Duration, pid uint8) time.Duration { return test.rtt(now, pid, r) })
			turns := 0
			for i := 2; i < len(changes); i++ {
				if up, was := changes[i].period > changes[i-1].period, changes[i-1].period > changes[i-2].period; up != was {
					turns++
				}
				if d := changes[i].at - changes[i-1].at; d < adaptEvery {
					t.Errorf("two changes within %v", d)
				}
			}
			t.Logf("%d changes, %d turns, ends at %v", len(changes)-1, turns, l.pace.period)
			if len(changes)-1 > test.maxChanges || turns > test.maxTurns {
				t.Errorf("%d changes and %d turns, want at most %d and %d: %v", len(changes)-1, turns, test.maxChanges, test.maxTurns, changes)
			}
			if off := (l.pace.period - test.want).Abs(); test.want != 0 && off > max(adaptBand, test.want/4) {
				t.Errorf("the period is %v, want about %v", l.pace.period, test.want)
			}
		})
	}
}

type periodChange struct {
	at, period time.Duration
}

// adaptiveHour plays for an hour with a ping every 5 s. The first entry is the
// period at the start.
func adaptiveHour(l *Loop, rtt func(now time.Duration, pid uint8) time.Duration) []periodChange {
	changes := []periodChange{{0, l.pace.period}}
	ping := time.Duration(0)
	for now, _ := l.Next(); now < time.Hour; now, _ = l.Next() {
		for ; ping <= now; ping += 5 * time.Second {
			for pid := range l.Live().All() {
				l.RTT(now, pid, rtt(now, pid))
			}
		}
		l.Tick(now)
		for _, c := range of[*PeriodChanged](l.sink.(*facts)) {
			changes = append(changes, periodChange{now, c.Period})
		}
		for pid := range l.Live().All() {
			l.Keepalive(now, pid, 1)
		}
	}
	return changes
}
