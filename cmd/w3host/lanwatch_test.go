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

	"w3host/config"
	"w3host/formats/replay"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/lobby"
)

// TestWatch: bots play a game at a host that shows games, and then others watch its replay from the seat that never acted: they
// are sent every turn and compute what the players have computed, although they ignore own actions that they did not send.
// In the seat of a bot that acted they compute another game, and the host says from which turn on.
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
	addr := hostAs(t, dir, func(c *config.Config) { c.Watch.Enabled, c.Lobby.Observers = true, "on" })
	bots("--players 3 --minutes 0.15 --addr " + addr)
	var file string
	testkit.Eventually(t, "there is a replay", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "replays", "*.w3g"))
		for _, file = range files {
		}
		return file != ""
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	watch := func(args ...string) {
		t.Helper()
		addr = fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
		go func() {
			ended <- run(ctx, append([]string{"lan", "watch", "--listen", addr, "--speed", "max", file}, args...), nil, &stdout, &stderr)
		}()
	}
	for seat, want := range map[string]string{"bot-1": "bot-1 acts from 0:0", "Zoe": `it has no player "Zoe"`} {
		if watch("--seat", seat); <-ended == exitOK || !strings.Contains(stderr.String(), want) {
			t.Errorf("--seat %s: %s", seat, stderr.String())
		}
	}
	watch("--seat", "bot-1", "--acting")
	stderr.Await(t, `(game available for viewers)`)
	if code := run(t.Context(), strings.Fields("bots --watch --players 1 --addr "+addr), nil, &stdout, &stderr); code == exitOK {
		t.Error("a client computes the same game in the seat of somebody who acted")
	}
	stderr.Await(t, `(its game came out differently from turn \d+ on)`)
	stop()
	<-ended
	stderr = testkit.Log{}
	ctx, stop = context.WithCancel(t.Context())
	watch()
	stderr.Await(t, `(game available for viewers)`)
	turns := regexp.MustCompile(`turns +(\d+) received`).FindStringSubmatch(bots("--watch --players 2 --addr " + addr))
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("watch: exit %d\n%s", code, stderr.String())
	}
	seat := regexp.MustCompile(`"seat":"([^"]+)"`).FindStringSubmatch(stderr.String())
	if seat == nil || seat[1] != lobby.WatchersName {
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
	write(t, empty, "")
	for line, want := range map[string]string{
		"":                                    "name a replay, or a host's folder of replays",
		"--speed 65 x.w3g":                    "--speed 65: a speed is a number from 1 to 64, or max",
		"--delay 10s x.w3g":                   "--delay must be 1m0s or more",
		"--viewers 0 x.w3g":                   "--viewers must be at least 1",
		"--acting x.w3g":                      "--acting needs --seat NAME",
		"--listen here x.w3g":                 "--listen here: must be an IPv4 address and a port, such as 0.0.0.0:6113",
		"--listen 127.0.0.1:0 " + empty:       "take a .w3g file that the game itself lists",
		"--listen 127.0.0.1:0 /no/such/x.w3g": "/no/such/x.w3g: no such file",
	} {
		var stdout, stderr bytes.Buffer
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		code := run(ctx, append([]string{"lan", "watch"}, strings.Fields(line)...), nil, &stdout, &stderr)
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
		for want, args := range map[string][]string{
			"all its players act":                       nil,
			"its map .* is not in maps; use --map FILE": {"--acting", "--seat", openReplay(t, file).Start.Players[0].Name},
		} {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append([]string{"lan", "watch", "--listen", "127.0.0.1:0", file}, args...), nil, &stdout, &stderr)
			if code != exitFailed || !regexp.MustCompile(want).MatchString(stderr.String()) {
				t.Errorf("%s: exit %d, %s", name, code, stderr.String())
			}
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
