package daemon

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/config"
	"w3host/control"
	"w3host/daemon/logging"
	"w3host/internal/testkit"
)

// What a person sees of a first game: a line for each thing that matters.
func TestLogOfAGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := config.Default()
	c.Host.Listen, c.LAN.Enabled, c.Lobby.Countdown, c.Web.Listen = "127.0.0.1:0", false, 1, "127.0.0.1:0"
	c.Host.DataDir, c.Replays.Dir = dir, filepath.Join(dir, "replays")
	var log testkit.Log
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{Config: c, Console: new(control.Console), Log: logging.ForPeople(&log, zerolog.InfoLevel)})
	}()
	addr := log.Await(t, `hosting on (\S+)`)
	report, err := bots.Run(t.Context(), bots.Options{Addr: addr, Players: 10, Play: time.Second, LoadTime: 100 * time.Millisecond})
	if err != nil || !report.OK {
		t.Errorf("%v: %s", err, report.Verdict())
	}
	log.Await(t, "#1 over")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		`#1 lobby "w3host game" is open: 10 slots, w3host-test\.w3x`, `#1 starts in 1 s`, `#1 started: 10 players on w3host test map`,
		`#1 all have loaded after \d+ms`, `#1 over: all left; played [\d.]+m?s, \d+ turns`, `w3host has stopped`,
	} {
		if n := len(regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  `+want+`$`).FindAllString(log.String(), -1)); n != 1 {
			t.Errorf("%d lines like %s", n, want)
		}
	}
	for line := range strings.Lines(log.String()) {
		if utf8.RuneCountInString(line) > 101 || strings.Contains(line, "bot-") || strings.Contains(line, "= ") || strings.Contains(line, "warning") {
			t.Errorf("a line that is too long, empty in parts or about one player: %s", line)
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines > 18 {
		t.Errorf("%d lines", lines)
	}
	if t.Failed() {
		t.Logf("all of it:\n%s", log.String())
	}
}
