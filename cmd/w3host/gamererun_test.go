package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// journalFile is the journal of a lobby in which one player joins.
func journalFile(t *testing.T) (file string, size int) {
	t.Helper()
	cfg := game.Config{ID: 7, Name: "short", Version: 26, Trigger: '!', Silence: time.Minute, Lobby: lobby.Defaults(), Turns: gamesync.Defaults()}
	cfg.Map.File, cfg.Transfer.Size = "t.w3x", 1000
	cfg.Lobby.Slots = []w3gs.Slot{{Race: w3gs.RaceRandom, Handicap: 100}, {Team: 1, Colour: 1, Race: w3gs.RaceRandom, Handicap: 100}}
	var out game.Out
	var j game.Journal
	m := game.New(cfg, &out)
	sum := out.Sum(0)
	b, err := j.Begin(nil, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []game.Input{
		{Kind: game.Join, Link: 1, Packet: &w3gs.ReqJoin{Name: "Ann"}, Addr: netip.MustParseAddrPort("10.0.0.1:6112")},
		{Kind: game.Tick},
		{Kind: game.Stop, Why: "test"},
	} {
		out.Reset()
		b = j.Append(b, time.Second, &in)
		m.Step(time.Second, &in, &out)
		sum = out.Sum(sum)
	}
	b = j.Check(b, sum)
	file = filepath.Join(t.TempDir(), "j")
	write(t, file, b)
	return file, len(b)
}

func TestRerunCommand(t *testing.T) {
	file, size := journalFile(t)
	run := func(args ...string) (int, string) {
		code, stdout, stderr := shell(t, append([]string{"game", "rerun"}, args...)...)
		return code, stdout + stderr
	}
	if code, text := run(file); code != exitOK || !strings.Contains(text, `game 7 "short", map t.w3x, 3 inputs in 1s: identical output`) {
		t.Errorf("%d %s", code, text)
	}
	if code, text := run(file, "--trace"); code != exitOK || !strings.Contains(text, "a join, link 1 REQJOIN") || !strings.Contains(text, "fact 1: *game.Opened") {
		t.Errorf("%d %s", code, text)
	}
	whole, _ := os.ReadFile(file)
	whole[size-1]++
	_ = os.WriteFile(file, whole, 0o600)
	if code, text := run(file); code != exitFailed || !strings.Contains(text, "the output differs") {
		t.Errorf("%d %s", code, text)
	}
	_ = os.WriteFile(file, whole[:size-8], 0o600)
	if code, text := run(file); code != exitOK || !strings.Contains(text, "the journal ends") {
		t.Errorf("%d %s", code, text)
	}
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"/dev/null"}, exitFailed, "not a journal of a game"},
		{[]string{"no such file"}, exitFailed, "no such file"},
		{nil, exitUsage, "name one journal"},
		{[]string{"--help"}, exitOK, "Usage:"},
	} {
		if code, text := run(tc.args...); code != tc.code || !strings.Contains(text, tc.want) {
			t.Errorf("%q: %d %s", tc.args, code, text)
		}
	}
}
