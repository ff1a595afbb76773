package main

import (
	"bytes"
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

	"w3host/internal/testkit"
)

func TestConsole(t *testing.T) {
	long := strings.Repeat("many words ", 20)
	for _, tt := range []struct {
		line, want string // without the time
		all        bool
	}{
		{line: `{"level":"info","game":1,"map":"(2)EchoIsles.w3x","title":"Echo Isles","players":10,"fakes":0,"hcl":"","message":"game started, players are loading"}`, want: "#1 started: 10 players on Echo Isles"},
		{line: `{"level":"info","game":1,"map":"x.w3x","title":"11 players","players":1,"message":"game started, players are loading"}`, want: "#1 started: 1 player on 11 players"},
		{line: `{"level":"info","game":7,"after":"873.330119ms","message":"all have loaded"}`, want: "#7 all have loaded after 873ms"},
		{line: `{"level":"info","game":1,"player":"Ann","pid":2,"slot":1,"addr":"10.0.0.1:99","message":"player joined"}`, want: ""},
		{line: `{"level":"info","game":1,"player":"Ann","pid":2,"slot":1,"addr":"10.0.0.1:99","message":"player joined"}`, want: "#1 player joined  player=Ann  addr=10.0.0.1:99  slot=1  pid=2", all: true},
		{line: `{"level":"info","addr":"10.0.0.1:99","reason":"timeout","message":"connection closed before it joined"}`, want: ""},
		{line: `{"level":"info","part":"lan","addr":"10.0.0.1:99","message":"LAN announcements get out again"}`, want: "LAN announcements get out again  addr=10.0.0.1:99"},
		{line: `{"level":"warn","game":3,"player":"Ann","pid":2,"turn":9,"reason":"out queue overflow","message":"player dropped"}`, want: "warning: #3 Ann was dropped at turn 9: out queue overflow"},
		{line: `{"level":"error","zeta":1,"alpha":"","reason":"two words","error":"no space left","message":"it broke"}`, want: `error: it broke: no space left  reason="two words"  zeta=1`},
		{line: `{"level":"info","part":"database","step":1,"took":"2.444545ms","message":"database schema migrated"}`, want: ""},
		{line: `{"level":"info","took":"61.234567s","list":[],"message":"done\u001b[31m"}`, want: `done\u001b[31m  took=1m1s`},
		{line: `{"level":"info","message":"` + long + `"}`, want: strings.TrimRight(long[:88], " ") + "\n" + "          " + strings.TrimRight(long[88:176], " ") + "\n" + "          " + long[176:]},
		{line: `{"level":"info","message":"` + strings.Repeat("x", 100) + `"}`, want: strings.Repeat("x", 90) + "\n" + strings.Repeat(" ", 10) + strings.Repeat("x", 10)},
		{line: "no JSON", want: "no JSON"},
	} {
		var out bytes.Buffer
		line := strings.Replace(tt.line, "{", `{"time":"2026-01-02T03:04:05.678Z",`, 1)
		n, err := console{out: &out, all: tt.all}.Write([]byte(line))
		if err != nil || n != len(line) {
			t.Errorf("%s: %d, %v", line, n, err)
		}
		got := strings.TrimSuffix(out.String(), "\n")
		if m := regexp.MustCompile(`^\d\d:\d\d:05  `).FindString(got); m != "" {
			got = got[len(m):]
		} else if got != "" && tt.line[0] == '{' {
			t.Errorf("no time: %q", got)
		}
		if got != tt.want {
			t.Errorf("%s\n%q, want\n%q", tt.line, got, tt.want)
		}
	}
}

// What a person sees of a first game: a line for each thing that matters.
func TestConsoleOfAGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := config.Default()
	c.Host.Listen, c.LAN.Enabled, c.Lobby.Countdown = "127.0.0.1:0", false, 1
	c.Control.Socket = ""
	c.Database.URL, c.Database.Spool = "sqlite:"+filepath.Join(dir, "w3host.db"), filepath.Join(dir, "spool")
	c.Replays.Dir, c.Log.Journals = filepath.Join(dir, "replays"), filepath.Join(dir, "journals")
	var log testkit.Log
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, c, nil, new(consoleInput), consoleLogger(&log, zerolog.InfoLevel)) }()
	addr := log.Await(t, `hosting "w3host test map" on (\S+)`)
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
		if utf8.RuneCountInString(line) > consoleWidth+1 || strings.Contains(line, "bot-") || strings.Contains(line, "= ") || strings.Contains(line, "warning") {
			t.Errorf("a line that is too long, empty in parts or about one player: %s", line)
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines > 16 {
		t.Errorf("%d lines", lines)
	}
	if t.Failed() {
		t.Logf("all of it:\n%s", log.String())
	}
}

func TestTyped(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	for arg0, want := range map[string]string{
		"w3host": "w3host", "./w3host": "./w3host", "/opt/w3 host/w3host": `"/opt/w3 host/w3host"`,
		"/tmp/go-build123/b001/exe/w3host":               "go run ./cmd/w3host",
		"/root/.cache/go-build/0f/" + hash + "-d/w3host": "go run ./cmd/w3host",
		"/build-cache/0f/" + hash + "-d/w3host":          "go run ./cmd/w3host",
	} {
		if got := typed(arg0); got != want {
			t.Errorf("%s: %s, want %s", arg0, got, want)
		}
	}
}
