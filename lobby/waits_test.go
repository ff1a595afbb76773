package lobby

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// TestWaitsForTime: a lobby that time alone starts is not said to wait for somebody to start it.
func TestWaitsForTime(t *testing.T) {
	cfg := Defaults()
	cfg.Layout, cfg.Slots = w3gs.LayoutMelee, make([]w3gs.Slot, 4)
	cfg.Start.After, cfg.Start.Ready = time.Minute, true
	l := New(cfg, new(heard))
	expect := func(want string) {
		t.Helper()
		if got := l.Waits().String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	expect("Waiting for 1 more player.")
	l.Join(0, Join{Conn: 1, Req: w3gs.ReqJoin{Name: "Ann"}})
	l.MapReport(0, 2, w3gs.MapSize{Flag: w3gs.MapHave})
	expect("The game starts in 1 minute.")
	l.Tick(50 * time.Second)
	expect("The game starts in 10 seconds.")
	l.Tick(time.Minute)
	expect("Waiting to start: 0 of 1 are ready; type !ready.")
	l.Do(time.Minute, Ready{PID: 2})
	expect("The countdown is already running.")
	l.Do(time.Minute, Abort{})
	expect("The game does not start automatically.")
}
