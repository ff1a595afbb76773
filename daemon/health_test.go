package daemon

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A loop that stands still is noticed after ten seconds, and asked once.
func TestPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		d, hangs, asked := daemon{}, atomic.Bool{}, 0
		var late func()
		go d.pulse.beat(ctx, func(answer func()) {
			asked++
			if late = answer; !hangs.Load() {
				answer()
			}
		})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		hangs.Store(true)
		time.Sleep(9 * time.Second)
		synctest.Wait()
		if code, h := d.alive(); code != http.StatusOK {
			t.Errorf("after 9 s: %d, %v", code, h)
		}
		n := asked
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if code, h := d.alive(); code != http.StatusServiceUnavailable || h.Status != "hangs" {
			t.Errorf("after 13 s: %d, %v", code, h)
		}
		if asked != n {
			t.Errorf("a loop that hangs is asked %d times more", asked-n)
		}
		late()
		if code, _ := d.alive(); code != http.StatusOK {
			t.Errorf("when it moves again: %d", code)
		}
	})
}
