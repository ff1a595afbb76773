package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"w3host/bots"
	"w3host/formats/w3map/builtin"
)

// TestServe plays a whole game at the real program: one bot downloads the map, the game log
// has the game afterwards, and the replay can be read.
func TestServe(t *testing.T) {
	t.Parallel()
	dir, maps := t.TempDir(), t.TempDir()
	p := startProcess(t, dir, "--listen", "127.0.0.1:0", "--lan=false", "--autostart", "3", "--latency", "50ms", "W3HOST_LOBBY_COUNTDOWN=1")
	report, err := bots.Run(t.Context(), bots.Options{
		Addr: p.addr, Players: 3, Play: time.Second, NoStart: true, Patience: time.Minute,
		Conduct: func(_, seat int) (c bots.Conduct) {
			if seat == 1 {
				c.Download = maps
			}
			return c
		},
	})
	if err != nil || !report.OK || report.ActionsSent != report.ActionsSeen {
		t.Fatalf("%v: %s; %d of %d actions seen, %v", err, report.Verdict(), report.ActionsSeen, report.ActionsSent, report.Faults)
	}
	_, want := builtin.Map()
	if files, _ := filepath.Glob(filepath.Join(maps, "*")); len(files) != 1 {
		t.Errorf("one bot downloads the map, the folder has %q", files)
	} else if got, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the downloaded map has %d bytes, the host's %d: %v", len(got), len(want), err)
	}
	p.await("game over")
	stopHold(t, p)
	checkGameLog(t, dir, 1)
	checkReplays(t, dir, 1)
}
