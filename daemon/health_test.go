package daemon

import (
	"testing"
	"testing/synctest"
	"time"
)

// A loop that stands still is noticed ten seconds after it was asked first, and asked once.
func TestPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pulse
		hangs, asked := false, 0
		var late func()
		ask := func(answer func()) {
			asked++
			if late = answer; !hangs {
				answer()
			}
		}
		if silent := p.silent(ask); silent != 0 {
			t.Errorf("a loop that answers is silent for %v", silent)
		}
		hangs = true
		p.silent(ask)
		time.Sleep(deadAfter + time.Second)
		if silent := p.silent(ask); silent <= deadAfter || asked != 2 {
			t.Errorf("silent for %v, asked %d times", silent, asked)
		}
		hangs = false
		late()
		if silent := p.silent(ask); silent != 0 {
			t.Errorf("when it moves again: silent for %v", silent)
		}
	})
}
