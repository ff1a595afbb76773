package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"w3host/bots"
)

func TestBotsCommandRefusesFlagsThatMakeNoSense(t *testing.T) {
	for args, want := range map[string]string{
		"--players 30":                     "a game holds 1 to 24",
		"--round-trip 11s":                 "round trip 11s: want 0 to 10s",
		"--minutes 0":                      "--minutes must be more than 0",
		"--players 2 --desync 2 --stall 1": "3 bots would misbehave or leave, but a game has only 2 players",
		"--stall 1 --stall-for 70s":        "use more --minutes",
		"--leave-after 1m":                 "later than the end",
		"--refuse-parts 0.1":               "need --download DIRECTORY",
		"--desync -1":                      "cannot be negative",
		"--no-such-flag":                   "unknown flag --no-such-flag",
		"surplus":                          `unexpected argument "surplus"`,
		"--game 4294967297":                "--game=4294967297: the maximum is 4294967295",
		"--entry-key -1":                   "--entry-key=-1: write a whole number, 0 or more",
		"--addr nonsense --name-prefix waytoolongaprefix": `address "nonsense": want host:port`,
	} {
		code, stdout, stderr := shell(t, append([]string{"bots"}, strings.Fields(args)...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
}

func TestBotsCommandHelp(t *testing.T) {
	_, stdout, _ := shell(t, "bots", "--help")
	// Every key of the report but the shortest is named; the report of a run that could not begin has them all.
	var report bots.Report
	var b bytes.Buffer
	if err := report.WriteJSON(&b, true); err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(b.String(), `"`) {
		if key := part; strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_0123456789") == "" && len(key) > 4 && !strings.Contains(stdout, key) {
			t.Errorf("--help does not name %q", key)
		}
	}
}

func TestBotsCommandWithoutAHost(t *testing.T) {
	code, stdout, stderr := shell(t, strings.Fields("bots --addr 127.0.0.1:9 --players 2")...)
	if code != exitFailed || !strings.Contains(stderr, "no host at 127.0.0.1:9: start one with `w3host`") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if !strings.Contains(stdout, "games         0 of 1 ran") || strings.Contains(stdout, "p99") {
		t.Errorf("report %q", stdout)
	}
}

// Who misbehaves sits at the end, each with one part, and only in the first game.
func TestMisconduct(t *testing.T) {
	m := misconduct{desync: 1, stall: 2, stallFor: time.Second, garbage: 1, neverRead: 1, leavers: 1, leaveAfter: time.Minute, download: "maps", downloaders: 1}
	conduct := m.conduct(8)
	want := []bots.Conduct{
		{Download: "maps"},
		{},
		{LeaveAfter: time.Minute},
		{NeverRead: true},
		{Garbage: true},
		{StallFor: time.Second},
		{StallFor: time.Second},
		{Desync: true},
	}
	for seat, w := range want {
		if got := conduct(0, seat); got != w {
			t.Errorf("game 1, seat %d: %+v, want %+v", seat, got, w)
		}
	}
	if got := conduct(1, 7); got != (bots.Conduct{}) {
		t.Errorf("game 2: %+v", got)
	}
	m.everywhere = true
	if got := m.conduct(8)(1, 7); !got.Desync {
		t.Errorf("game 2, everywhere: %+v", got)
	}
}
