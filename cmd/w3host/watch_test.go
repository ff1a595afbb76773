package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// TestWatch: bots play a game at a host, and then others watch its replay: they are sent
// every turn and compute what the players have computed.
func TestWatch(t *testing.T) {
	tier.All(t, "plays games in real time")
	t.Parallel()
	dir := t.TempDir()
	var stdout, stderr testkit.Log
	bots := func(line string) string {
		t.Helper()
		var stdout testkit.Log
		if code := run(t.Context(), append([]string{"bots"}, strings.Fields(line)...), nil, &stdout, &stderr); code != exitOK {
			t.Fatalf("bots %s: exit %d:\n%s%s", line, code, stdout.String(), stderr.String())
		}
		return stdout.String()
	}
	bots("--players 3 --minutes 0.07 --addr " + hostIn(t, dir))
	var file string
	testkit.Eventually(t, "there is a replay", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "replays", "*.w3g"))
		for _, file = range files {
		}
		return file != ""
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	addr := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	go func() {
		ended <- run(ctx, []string{"watch", "--listen", addr, "--speed", "max", file}, nil, &stdout, &stderr)
	}()
	stderr.Await(t, `(a game can be watched)`)
	turns := regexp.MustCompile(`turns +(\d+) received`).FindStringSubmatch(bots("--watch --players 2 --addr " + addr))
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("watch: exit %d\n%s", code, stderr.String())
	}
	seat := regexp.MustCompile(`"seat":"([^"]+)"`).FindStringSubmatch(stderr.String())
	if seat == nil {
		t.Fatalf("no seat is named:\n%s", stderr.String())
	}
	all := fmt.Sprint(hashesIn(t, file, seat[1]))
	compared := regexp.MustCompile(`"compared":(\d+)`).FindAllStringSubmatch(stderr.String(), -1)
	if turns == nil || len(compared) != 2 || compared[0][1] != all || compared[1][1] != all {
		t.Errorf("%v turns were sent, %v hashes compared of %s:\n%s", turns, compared, all, stderr.String())
	}
}

// hashesIn counts the sync hashes of a replay until a player leaves: there the view from that seat ends.
func hashesIn(t *testing.T, file, seat string) (n int) {
	t.Helper()
	r := openReplay(t, file)
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case rec.Kind == replay.KindChecksum:
			n++
		case rec.Kind == replay.KindLeave && slices.ContainsFunc(r.Start.Players, func(p replay.Player) bool { return p.PID == rec.Leave.PID && p.Name == seat }):
			return n
		}
	}
	return n
}

// TestWatchFaults: each wrong call is answered with the way out.
func TestWatchFaults(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.w3g")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"":                                    "it needs the name of a replay, or of a host's folder of replays",
		"--speed 65 x.w3g":                    "--speed 65: a speed is a number from 1 to 64, or max",
		"--delay 10s x.w3g":                   "--delay must be 1m0s or more",
		"--version 1.36 x.w3g":                "games of 1.36 cannot be watched: those of 1.07 to 1.31 can",
		"--most 0 x.w3g":                      "--most must be 1 or more",
		"--listen here x.w3g":                 "--listen here: want an IPv4 address and a port, like 0.0.0.0:6113",
		"--listen 127.0.0.1:0 " + empty:       "take a .w3g file that the game itself lists",
		"--listen 127.0.0.1:0 /no/such/x.w3g": "/no/such/x.w3g: there is no such file",
	} {
		var stdout, stderr bytes.Buffer
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		code := run(ctx, append([]string{"watch"}, strings.Fields(line)...), nil, &stdout, &stderr)
		stop()
		if code == exitOK || !strings.Contains(stderr.String(), want) {
			t.Errorf("watch %s: exit %d, %s", line, code, stderr.String())
		}
	}
	for _, name := range []string{"w3gjs-126-999.w3g", "gowarcraft3-test_126.w3g"} { // real ones, whose maps are not here
		file := "../../../shared/testdata/replays/" + name
		if _, err := os.Stat(file); err != nil {
			t.Skipf("SKIPPED: %v", err)
		}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"watch", "--listen", "127.0.0.1:0", file}, nil, &stdout, &stderr)
		if code != exitFailed || !regexp.MustCompile(`its map .* is not in maps: name it by --map FILE`).MatchString(stderr.String()) {
			t.Errorf("%s: exit %d, %s", name, code, stderr.String())
		}
	}
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
