package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// recordedGame makes a replay of a short game.
func recordedGame(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "game.w3g")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	slot := w3gs.Slot{PID: 1, Download: 100, Status: w3gs.SlotOccupied, Race: w3gs.RaceNightElf | w3gs.RaceSelectable, AI: w3gs.AINormal, Handicap: 90}
	other := slot
	other.PID, other.Team, other.Colour, other.Race = 2, 1, 5, w3gs.RaceOrc
	w, err := replay.NewWriter(f, replay.Program{Product: replay.ProductExpansion, Version: 26, Build: replay.BuildOf(26), Flags: replay.Multiplayer}, &replay.Start{
		Players:  []replay.Player{{PID: 1, Name: "Alice", Extra: []byte{0}}, {PID: 2, Name: "Bob\x1b[2J", Extra: []byte{0}}, {PID: 3, Name: "Ghost", Extra: []byte{0}, Fake: true}},
		GameName: "a <game> & more",
		Settings: replay.Settings{Flags: w3gs.SpeedFast | w3gs.VisibilityDefault, Checksum: 0xC0FFEE, MapPath: `Maps\x.w3x`, HostName: "Alice", Rest: make([]byte, 21)},
		Slots:    []w3gs.Slot{slot, other}, SlotCount: 2, GameType: 1, StartSpots: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	pick := []byte{0x16, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0}
	for range 600 {
		w.Turn(100*time.Millisecond, w3gs.AppendAction(nil, 1, pick))
	}
	w.Chat(replay.Chat{PID: 2, Flag: w3gs.ChatGame, Scope: w3gs.ScopeAllies, Text: "gg\x1b[31m"})
	w.Left(2, w3gs.LeaveLost)
	w.Left(1, w3gs.LeaveWon)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func callReplay(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return shell(t, append([]string{"replay"}, args...)...)
}

func TestReplayInfoJSON(t *testing.T) {
	name := recordedGame(t)
	code, out, errs := callReplay(t, "info", name, "--json")
	if code != exitOK || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	keys := func(what string, v any, want string) {
		if got := slices.Sorted(maps.Keys(v.(map[string]any))); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("keys of %s %q, want %q", what, got, want)
		}
	}
	keys("the replay", all, `actions build chat checksums duration_ms file game_name host leaves map map_checksum map_sha1
		multiplayer players product settings timeslots version warnings winner_team`)
	keys("a player", all["players"].([]any)[0], "apm colour handicap leave_reason left_ms name observer pid race result team")
	keys("a line", all["chat"].([]any)[0], "ms name pid scope text")
	var f replayFacts
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatal(err)
	}
	if f.File != "game.w3g" || f.Version != "1.26" || f.Build != 6059 || f.Product != "W3XP" || !f.Multiplayer || f.DurationMS != 60000 ||
		f.GameName != "a <game> & more" || f.Host != "Alice" || f.MapChecksum != "00c0ffee" || *f.MapSHA1 != strings.Repeat("0", 40) ||
		f.Timeslots != 600 || f.Actions != 600 || f.Checksums != 0 || *f.WinnerTeam != 0 || len(f.Warnings) != 0 {
		t.Errorf("got %s", out)
	}
	if p := f.Players[0]; p.Name != "Alice" || *p.Team != 0 || *p.Race != "night elf" || *p.Handicap != 90 || p.APM != 600 || p.Result != "won" || *p.LeftMS != 60000 || *p.LeaveReason != 12 {
		t.Errorf("Alice is %+v", p)
	}
	if p := f.Players[2]; p.Team != nil || p.LeftMS != nil || p.Result != "unknown" {
		t.Errorf("the player without a slot is %+v", p)
	}
	if c := f.Chat[0]; c != (chatFacts{60000, 2, "Bob\x1b[2J", "allies", "gg\x1b[31m"}) {
		t.Errorf("chat %+v", c)
	}
}

func TestReplayForPeople(t *testing.T) {
	name := recordedGame(t)
	for verb, want := range map[string]string{"info": "team 1, night elf, won, 600 actions per minute, left at 0:01:00", "actions": "leaves: reason 12, result 9", "verify": "good"} {
		code, out, errs := callReplay(t, verb, name)
		if code != exitOK || errs != "" || !strings.Contains(out, want) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: exit %d, %s\n%s", verb, code, errs, out)
		}
	}
}

// narrow is a terminal of 50 columns.
type narrow struct{ bytes.Buffer }

func (*narrow) Width() int { return 50 }

// What is too wide for a terminal goes on below its text, broken between words.
func TestReplayFitsTheTerminal(t *testing.T) {
	var out narrow
	c := replayCall{call: call{stdout: &out}}
	bot := playerFacts{PID: 11, Name: "bot-10", Team: new(int), Race: new("random"), Result: "unknown", LeftMS: new(int64(30000))}
	if err := c.printReplay(replayFacts{Players: []playerFacts{bot}}); err != nil {
		t.Fatal(err)
	}
	if want := "player 11  bot-10, team 1, random, unknown, 0\n           actions per minute, left at 0:00:30\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s\nwant\n%s", &out, want)
	}
}

func TestReplaySVG(t *testing.T) {
	name := recordedGame(t)
	to := filepath.Join(t.TempDir(), "game.svg")
	if code, _, errs := callReplay(t, "info", name, "--svg", to); code != exitOK {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"Alice", "a &lt;game&gt; &amp; more", "left at 1m0s", "gg [31m"} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

func TestReplayRepairInPlace(t *testing.T) {
	name := recordedGame(t)
	if code, out, _ := callReplay(t, "repair", name); code != exitOK || !strings.Contains(out, "nothing to repair") {
		t.Errorf("a whole one: exit %d, %s", code, out)
	}
	whole, _ := os.ReadFile(name)
	write(t, name, whole[:len(whole)-10])
	if code, out, _ := callReplay(t, "verify", name); code != exitFailed || !strings.Contains(out, "BROKEN") {
		t.Errorf("verify of a cut one: exit %d, %s", code, out)
	}
	if code, out, errs := callReplay(t, "repair", name); code != exitOK || !strings.Contains(out, "is lost") {
		t.Errorf("repair: exit %d, %s%s", code, out, errs)
	}
	if code, out, _ := callReplay(t, "verify", name); code != exitOK {
		t.Errorf("verify of a repaired one: exit %d, %s", code, out)
	}
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

func TestReplayAnonymise(t *testing.T) {
	name := recordedGame(t)
	to := filepath.Join(t.TempDir(), "out.w3g")
	if code, _, errs := callReplay(t, "anonymise", "--output", to, name); code != exitOK {
		t.Fatal(errs)
	}
	if _, out, _ := callReplay(t, "info", to); strings.Contains(out, "Alice") || strings.Contains(out, "gg") || !strings.Contains(out, "Player 1") {
		t.Errorf("got %s", out)
	}
	if code, _, errs := callReplay(t, "anonymise", "--output", to, name); code != exitFailed || !strings.Contains(errs, "already exists") {
		t.Errorf("over a file: exit %d, %s", code, errs)
	}
}

func TestReplayAskedWrongly(t *testing.T) {
	name := recordedGame(t)
	for text, args := range map[string][]string{
		"info, verify, actions":    {"show"},
		"name a replay file":       {"info"},
		"unknown flag --jsn":       {"info", name, "--jsn"},
		"with a single replay":     {"info", name, name, "--svg", "x.svg"},
		"accepts one replay":       {"actions", name, name},
		"--output FILE is missing": {"anonymise", name},
	} {
		if code, _, errs := callReplay(t, args...); code != exitUsage || !strings.Contains(errs, text) {
			t.Errorf("%q: exit %d, %q does not say %q", args, code, errs, text)
		}
	}
	other := filepath.Join(t.TempDir(), "other")
	write(t, other, strings.Repeat("no replay ", 100))
	for text, args := range map[string][]string{
		"no such file":       {"info", "nowhere.w3g"},
		"this is a folder":   {"verify", t.TempDir()},
		"not a Warcraft III": {"actions", other},
	} {
		if code, _, errs := callReplay(t, args...); code != exitFailed || !strings.Contains(errs, text) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit %d, %q does not say %q", args, code, errs, text)
		}
	}
	for _, args := range [][]string{{}, {"--help"}, {"info", "--help"}} {
		if code, out, _ := callReplay(t, args...); code != exitOK || !strings.Contains(out, "w3host replay") {
			t.Errorf("%q: exit %d, %q", args, code, out)
		}
	}
}
