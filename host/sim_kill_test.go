//go:build linux

package host

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A process that dies in the middle of an upgrade, the old one, the new one or both, loses no game: players see the same turns, and each game
// has one end in the game log. The deaths come after so many stores and system calls that some fall into each state of a game.
func TestKillDuringTakeover(t *testing.T) {
	for _, victims := range []string{"old", "new", "old and new"} {
		kills := 0
		for n := range 8 {
			ofOld, ofNew := int64(1+8*n), int64(1)<<(n+n/2) // the old process releases its games soon
			t.Run(fmt.Sprint(victims, " ", n), func(t *testing.T) {
				w := simulate(t, uint64(n), func(w *simWorld) {
					old := w.boot()
					w.n.After(100*time.Millisecond, w.lobby)
					time.Sleep(30 * time.Second)
					next := w.upgradeTo("good too")
					if victims != "new" {
						old.steps.Store(ofOld)
					}
					for next.h.Load() == nil && !next.net.Dead() {
						time.Sleep(time.Millisecond)
					}
					if victims != "old" && !next.net.Dead() {
						next.steps.Store(ofNew)
					}
					time.Sleep(10 * time.Second)
				})
				kills += w.kills
				for _, f := range w.faults {
					if victims == "new" || !strings.Contains(f, "journal ") { // that of a killed host remains, up to where it was
						t.Error(f)
					}
				}
				if t.Failed() {
					t.Logf("story:\n%s", w.log.story())
				}
			})
		}
		if kills < 6 {
			t.Errorf("%s: only %d deaths", victims, kills)
		}
	}
}
