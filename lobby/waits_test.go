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
	l := New(cfg)
	expect := func(want string) {
		t.Helper()
		if got := l.Waits().String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	expect("Waiting for 1 more player.")
	l.Handle(0, Join{Conn: 1, Req: w3gs.ReqJoin{Name: "Ann"}}, nil)
	l.Handle(0, MapReport{PID: 2, Report: w3gs.MapSize{Flag: w3gs.MapHave}}, nil)
	expect("The game starts in 1 minute.")
	l.Tick(50*time.Second, nil)
	expect("The game starts in 10 seconds.")
	l.Tick(time.Minute, nil)
	expect("Waiting to start: 0 of 1 are ready; type !ready.")
	l.Handle(time.Minute, Ready{PID: 2}, nil)
	expect("The countdown is already running.")
	l.Handle(time.Minute, Abort{}, nil)
	expect("The game does not start automatically.")
}
