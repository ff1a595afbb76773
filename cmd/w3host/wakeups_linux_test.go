package main

import (
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/threads"
	"w3host/internal/tier"
)

// TestWakeUps counts how often the threads of a host go to sleep of their own accord, which
// programs beside it do not change: a host costs as much as it has wake-ups.
// docs/benchmarks.md has the figures that were measured.
func TestWakeUps(t *testing.T) {
	tier.All(t, "takes 65 s of real time")
	for _, c := range []struct {
		name    string
		most    float64 // a second
		players int
		flags   []string
	}{
		{"idle", 2.5, 0, []string{"--lan=false", "W3HOST_AUTOHOST_LOBBIES=0"}},
		{"lobby", 10, 0, []string{"W3HOST_LAN_PORT=16912"}},
		{"game", 40, 10, []string{"--lan=false", "--autostart", "10", "W3HOST_LOBBY_COUNTDOWN=1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startProcess(t, t.TempDir(), append(c.flags, "--listen", "127.0.0.1:0", "W3HOST_WEB_LISTEN=127.0.0.1:0")...)
			played := make(chan error, 1)
			if c.players > 0 {
				go func() { // ends with the game
					_, err := bots.Run(t.Context(), bots.Options{Addr: p.addr, Players: c.players, Play: 20 * time.Second, NoStart: true, Patience: time.Minute})
					played <- err
				}()
				p.await("all have loaded")
			} else {
				played <- nil
				time.Sleep(10 * time.Second) // until old records have been removed, ten seconds after the start
			}
			time.Sleep(2 * time.Second) // the start is over
			const measured = 10 * time.Second
			counter := threads.Counter{PID: p.cmd.Process.Pid}
			before, _ := counter.Count()
			time.Sleep(measured)
			after, _ := counter.Count()
			a := float64(after.Sleeps-before.Sleeps) / measured.Seconds()
			if t.Logf("%.1f sleeps and %.1f time slices a second", a, float64(after.Slices-before.Slices)/measured.Seconds()); a > c.most {
				t.Errorf("the threads went to sleep %.1f times a second, want at most %.0f", a, c.most)
			}
			if err := <-played; err != nil {
				t.Error(err)
			}
		})
	}
}
