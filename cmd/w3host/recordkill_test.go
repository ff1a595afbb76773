package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/bots"
	"w3host/formats/replay"
	"w3host/internal/testkit"
	"w3host/storage"
)

// TestKilledHostLeavesAReplay kills the program in the middle of a game, as the
// kernel would. The next start, or "replay repair", makes a replay of what is
// there, at most a second short, and both judges accept it.
func TestKilledHostLeavesAReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"--listen", "127.0.0.1:0", "--lan=false", "--autostart", "4", "--latency", "50ms"}
	var files [][]byte
	var names []string
	for _, repair := range []bool{false, true} {
		p := startProcess(t, dir, args...)
		done := make(chan bots.Report, 1)
		go func() {
			report, _ := bots.Run(context.Background(), bots.Options{
				Addr: p.addr, Players: 4, Play: time.Minute, LoadTime: 100 * time.Millisecond, NoStart: true,
			})
			done <- report
		}()
		p.await("all have loaded")
		time.Sleep(3 * time.Second)
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait()
		report := <-done
		turns := 0
		for _, b := range report.Players {
			turns = max(turns, b.Turns)
		}
		parts, _ := filepath.Glob(filepath.Join(dir, "replays", "*.part"))
		if len(parts) != 1 || turns == 0 {
			t.Fatalf("a killed host leaves %q, after %d turns", parts, turns)
		}
		file := strings.TrimSuffix(parts[0], ".part")
		if repair {
			if out, err := processCommand(t, dir, "replay", "repair", parts[0]).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		} else {
			next := startProcess(t, dir, args...)
			next.await("finished a replay left by a killed host")
			_ = next.cmd.Process.Kill()
			_ = next.cmd.Wait()
		}
		if out, err := processCommand(t, dir, "replay", "verify", file).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files, names = append(files, data), append(names, filepath.Base(file))
		r, err := replay.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		s := replay.Summarise(r)
		played := time.Duration(turns) * 50 * time.Millisecond
		if len(s.Findings) > 0 || s.Played < played-time.Second || s.Duration != s.Played {
			t.Errorf("the bots have seen %v, the replay has %v, findings %v", played, s.Played, s.Findings)
		}
	}
	startProcess(t, dir, args...) // its records of the second game still wait in the spool
	db := testHost{database: "sqlite:" + filepath.Join(dir, "data", "w3host.db")}.store(t)
	var linked []string
	testkit.Eventually(t, "replays in the game log", func() bool {
		games, err := db.Games(t.Context(), storage.GameFilter{})
		if err != nil {
			t.Fatal(err)
		}
		linked = nil
		for _, g := range slices.Backward(games) {
			if !g.StartedAt.IsZero() {
				linked = append(linked, g.Replay)
			}
		}
		return len(linked) >= len(names)
	})
	if !slices.Equal(linked, names) {
		t.Errorf("the game log links %q, the files are %q", linked, names)
	}
	t.Run("w3gjs", func(t *testing.T) { judge(t, files...) })
}
