package gamesync

import (
	"testing"
	"time"
)

// Turns fall on the beat that the host asks for; the first is never sooner than
// one period after loading, nor as late as two.
func TestAlign(t *testing.T) {
	const period = 100 * time.Millisecond
	for _, beat := range []time.Duration{0, 37 * time.Millisecond, -20 * time.Millisecond, 3 * time.Second} {
		for _, loaded := range []time.Duration{0, 1, 99 * time.Millisecond, 1737 * time.Millisecond} {
			cfg := Defaults()
			cfg.Players, cfg.Period = []Player{{PID: 1}}, period
			l := New(cfg, &facts{})
			l.Align(0, beat)
			l.Loaded(loaded, 1)
			due, ok := l.Next()
			if !ok || due < loaded+period || due >= loaded+2*period || (due-beat)%period != 0 {
				t.Errorf("beat %v, loaded %v: first turn at %v", beat, loaded, due)
			}
		}
	}
}
