package host

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/game"
	"w3host/internal/testkit"
	"w3host/storage"
)

// TestPlayInNamespaces plays through w3host lan play over a network that loses packets, and
// loses all of them for 22 s. Nobody leaves.
func TestPlayInNamespaces(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	testkit.InNamespace(t, playInNamespaces)
}

func playInNamespaces(t *testing.T) {
	far := testkit.NewFar(t)
	far.Wire(t, testkit.Line{Delay: 15 * time.Millisecond}, 0.01)
	cable := func(state string) {
		t.Helper()
		if _, err := testkit.Run("ip link set line0 " + state); err != nil {
			t.Fatal(err)
		}
	}
	var r *rig
	far.Do(func() { // the host's socket belongs there
		r = newRig(t, func(o *Options) {
			o.Listeners, o.Listing, o.RequireEntryKey = listenOn(t, o, "10.99.0.2:0", ""), true, true
			o.Game.Reconnect = game.Reconnect{Wait: 3 * time.Minute, Empties: 2, ExtendedWait: 5 * time.Minute, Silence: 20 * time.Second}
			o.Game.Turns.Period = 100 * time.Millisecond
		})
	})
	g := r.lobby(2)
	p := startPlaying(t, r.h.Addr())
	testkit.Eventually(t, "the lobby in the list", func() bool { return p.count(`"test" is in the list of your game`) == 1 })
	done := make(chan bots.Report, 1)
	go func() {
		report, err := bots.Run(t.Context(), bots.Options{Addr: p.list, Players: 2, Play: 50 * time.Second, Log: zerolog.Nop()})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	testkit.Eventually(t, "the players in the lobby", func() bool { return p.count(`You are in "test".`) == 2 })
	testkit.Eventually(t, "some turns", func() bool {
		return ask(t, g, func(g *Game) bool { return g.playing && g.machine.Snapshot().Turn > 20 })
	})
	cable("down")
	time.Sleep(22 * time.Second) // nothing gets through; a proxy gives a line up after 20 s
	cable("up")
	report := <-done
	if report.Joined != 2 || report.FaultCount > 0 || report.ActionsLost > 0 || report.GamesRun != 1 {
		t.Errorf("%v: %+v", report.Verdict(), report.Faults)
	}
	if lost, back := p.count("The connection to"), p.count("You are back in"); lost != 2 || back != 2 {
		t.Errorf("the line was lost %d times, back %d times", lost, back)
	}
	for _, l := range recordsOf[storage.LinkEvent](r) {
		t.Logf("link: %+v", l)
	}
	t.Logf("%s; w3host lan play said:\n%s", report.Verdict(), p.text())
}
