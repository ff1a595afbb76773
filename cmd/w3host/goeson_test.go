package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/internal/testkit"
)

// TestGoOnFromAReplay: bots play a game at a host. Another host goes on with its replay, from its second
// second: the same bots see one game, whose replay begins with what was played, whose journal can be run
// again, and which the game log has.
func TestGoOnFromAReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	port := testkit.FreePort(t)
	configure := func(lobbies int) {
		settings := fmt.Sprintf("[lan]\nport = %d\nbroadcast = []\n[lobby]\nautostart = 3\ncountdown = 1\n[log]\nkeep_journals = \"all\"\n[autohost]\nlobbies = %d\n", port, lobbies)
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	configure(1)
	play := func(args ...string) (file string) {
		t.Helper()
		before, _ := filepath.Glob(filepath.Join(dir, "replays", "*.w3g"))
		p := startProcess(t, dir, append(args, "--listen", "127.0.0.1:0", "--config", "config.toml")...)
		addr := p.await("lobby open")["listen"].(string)
		code, out, errs := shell(t, "bots", "--addr", addr, "--players", "3", "--minutes", "0.03", "--load-time", "200ms", "--patience", "20s")
		if code != exitOK || !strings.Contains(out, "all went well") {
			t.Fatalf("bots: exit %d\n%s%s", code, out, errs)
		}
		p.await("game over")
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
		after, _ := filepath.Glob(filepath.Join(dir, "replays", "*.w3g"))
		if len(after) != len(before)+1 {
			t.Fatalf("replays before %q, after %q", before, after)
		}
		for _, f := range after {
			if !strings.Contains(strings.Join(before, "\n"), f) {
				file = f
			}
		}
		return file
	}
	first := play()
	seed := latestGame(t, dir).Seed
	configure(0)
	second := play("host", first, "from", "0:01")
	g := latestGame(t, dir)
	if g.Seed != seed || !strings.Contains(string(g.Settings), filepath.Base(first)) || savedPlaces(g) == "" {
		t.Errorf("logged with the seed %d, it was %d, %s", g.Seed, seed, g.Settings)
	}
	was, is := turnsOf(t, first), turnsOf(t, second)
	n := 10 // turns of 100 ms
	if len(was) < n || len(is) < n+10 || !bytes.Equal(bytes.Join(was[:n], nil), bytes.Join(is[:n], nil)) {
		t.Errorf("%d turns were played, of which %d were to be in the replay of %d", len(was), n, len(is))
	}
	journals, _ := filepath.Glob(filepath.Join(dir, "data", "journals", "*"))
	if len(journals) < 2 {
		t.Fatalf("journals: %q", journals)
	}
	for _, file := range journals {
		if code, out, errs := shell(t, "game", "rerun", file); code != exitOK || !strings.Contains(out, "the same bytes came out") {
			t.Errorf("%s: exit %d, %s%s", file, code, out, errs)
		}
	}
}

// turnsOf are the turns of a replay, each with its hash.
func turnsOf(t *testing.T, file string) (turns [][]byte) {
	t.Helper()
	for rec, err := range openReplay(t, file).Records() {
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Kind {
		case replay.KindTurn:
			turns = append(turns, bytes.Clone(rec.Body))
		case replay.KindChecksum:
			last := &turns[len(turns)-1]
			*last = append(*last, rec.Body...)
		}
	}
	return turns
}

// openReplay reads a file until the test ends.
func openReplay(t *testing.T, file string) *replay.Reader {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := replay.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGoOnFaults: a host that cannot go on with a replay says why, and goes on hosting.
func TestGoOnFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.w3g"), bytes.Repeat([]byte("no replay "), 20), 0o644); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, dir, "host", "x.w3g", "from", "14", "--listen", "127.0.0.1:0", "--lan=false")
	p.await("not a Warcraft III replay")
	for _, args := range [][]string{{"host", "x.w3g", "from"}, {"host", "x.w3g", "14"}, {"x.w3g", "y.w3g"}, {"host", "x.txt"}} {
		if code, _, errs := shell(t, args...); code != exitUsage {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-time.After(time.Minute):
		t.Error("it does not end")
	case err := <-ended(p):
		if err != nil {
			t.Error(err)
		}
	}
}

func ended(p *process) chan error {
	c := make(chan error, 1)
	go func() { c <- p.cmd.Wait() }()
	return c
}
