package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/tier"
)

// TestWakeUps counts how often the threads of a host go to sleep of their own accord, which
// programs beside it do not change: a host costs as much as it has wake-ups.
// docs/benchmarks.md has the figures that were measured.
func TestWakeUps(t *testing.T) {
	tier.All(t, "takes 45 s of real time")
	for _, c := range []struct {
		name    string
		most    float64 // a second
		players int
		flags   []string
	}{
		{"idle", 7, 0, []string{"--lan=false", "W3HOST_AUTOHOST_LOBBIES=0"}},
		{"lobby", 16, 0, []string{"W3HOST_LAN_PORT=16912"}},
		{"game", 45, 10, []string{"--lan=false", "--autostart", "10", "W3HOST_LOBBY_COUNTDOWN=1"}},
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
			}
			time.Sleep(2 * time.Second) // the start is over
			const measured = 10 * time.Second
			before := sleeps(t, p.cmd.Process.Pid)
			time.Sleep(measured)
			a := float64(sleeps(t, p.cmd.Process.Pid)-before) / measured.Seconds()
			if t.Logf("%.1f a second", a); a > c.most {
				t.Errorf("the threads went to sleep %.1f times a second, want at most %.0f", a, c.most)
			}
			if err := <-played; err != nil {
				t.Error(err)
			}
		})
	}
}

// sleeps is the sum of the voluntary context switches of all threads of a process.
func sleeps(t *testing.T, pid int) (sum int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("threads of process %d: %v", pid, err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		_, rest, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		n, err := strconv.Atoi(strings.Fields(rest + " x")[0])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
