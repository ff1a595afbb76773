//go:build linux

package host

import (
	"testing"
	"time"
)

// A host that stops in the middle of an upgrade ends each game once, whoever plays it at that moment: the old process,
// nobody since it has just released the game, or the new one, whose observers may not have caught up yet.
func TestStopDuringTakeover(t *testing.T) {
	for name, isMoment := range map[string]func(old, next *Host, running []uint32) bool{
		"the old process plays it": func(_, _ *Host, _ []uint32) bool { return true },
		"nobody plays it": func(old, next *Host, running []uint32) bool {
			return anyOf(running, func(id uint32) bool { return old.Game(id) == nil && next.Game(id) == nil })
		},
		"the new process plays it": func(_, next *Host, running []uint32) bool {
			return anyOf(running, func(id uint32) bool { return next.Game(id) != nil })
		},
		"the new process plays all of them": func(_, next *Host, running []uint32) bool {
			return !anyOf(running, func(id uint32) bool { return next.Game(id) == nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := simulate(t, 1, func(w *simWorld) {
				old := w.boot()
				w.n.After(100*time.Millisecond, w.lobby)
				time.Sleep(30 * time.Second)
				next := w.upgradeTo("good too")
				for next.h.Load() == nil {
					time.Sleep(time.Millisecond)
				}
				var running []uint32
				for _, g := range old.h.Load().Games() {
					running = append(running, g.id)
				}
				if len(running) == 0 {
					t.Fatal("no game is left to take over")
				}
				for !isMoment(old.h.Load(), next.h.Load(), running) {
					time.Sleep(100 * time.Microsecond)
				}
			})
			for _, f := range w.faults {
				t.Error(f)
			}
		})
	}
}

func anyOf(ids []uint32, is func(uint32) bool) bool {
	for _, id := range ids {
		if is(id) {
			return true
		}
	}
	return false
}
