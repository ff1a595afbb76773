package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/bots"
	"w3host/formats/replay"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
	"w3host/record/mapstats"
	"w3host/storage"
)

// TestReplaysArePlayedAgain has bots play recorded games at a host: the replay
// that it writes has the same actions of the same players in the same order.
func TestReplaysArePlayedAgain(t *testing.T) {
	tier.All(t, "plays games in real time")
	t.Parallel()
	synthetic := filepath.Join(t.TempDir(), "stats.w3g")
	writeStatsGame(t, synthetic)
	for file, long := range map[string]bool{
		synthetic: false, "gowarcraft3-test_102.w3g": false, "gowarcraft3-test_126.w3g": false, "gowarcraft3-test_130.w3g": false,
		"w3gjs-126-999.w3g": true, "ddta-replay_5000.w3g": true, "forn-1.21-ffa.w3g": true,
		"w3gjs-129-standard_129_3on3_leaver.w3g": true, // half an hour on a busy machine: -timeout 60m
	} {
		if !filepath.IsAbs(file) {
			file = filepath.Join("..", "..", "..", "shared", "testdata", "replays", file)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(file); err != nil {
				t.Skip("SKIP: needs real replays:", err)
			}
			if long && os.Getenv("W3HOST_TEST_LONG") != "1" {
				t.Skip("takes a minute or more: run with W3HOST_TEST_LONG=1")
			}
			playAgain(t, file)
		})
	}
}

// A lobby that is too small for the players of a replay is refused with a remedy.
func TestReplayNeedsRoom(t *testing.T) {
	t.Parallel()
	h := startHost(t, "")
	script := &bots.Script{Names: strings.Fields("a b c d e f g h i j k l")}
	_, err := bots.Run(t.Context(), bots.Options{Addr: h.addr, Script: script, GameID: 1})
	if err == nil || !strings.Contains(err.Error(), `room for 10 bots, 12 want in: all of a recorded game are needed; host a larger map, or have observers`) {
		t.Errorf("got %v", err)
	}
}

func playAgain(t *testing.T, file string) {
	script, err := readScript(file)
	if err != nil {
		t.Fatal(err)
	}
	script.Speed, script.InOrder = 1000, true
	h := startHost(t, "[log]\nkeep_journals = \"none\"\n[game]\nlatency = \"20ms\"\n[limits]\npacket_rate = 1000000\naction_kib_per_second = 65536\n"+
		fmt.Sprintf("[lobby]\nobservers = \"on\"\ncountdown = 0\nautostart = %d\n", len(script.Names)))
	report, err := bots.Run(t.Context(), bots.Options{
		Addr: h.addr, Script: script, GameID: 1, NoStart: true, LoadTime: time.Millisecond, Patience: time.Minute,
	})
	if err != nil || !report.OK {
		t.Fatalf("%s: %v %v", report.Verdict(), err, report.Faults)
	}
	row := h.ended(t)
	data := h.replay(t, row.Replay)
	copied := filepath.Join(t.TempDir(), "again.w3g")
	write(t, copied, data)
	again, err := readScript(copied)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Names, script.Names) {
		t.Errorf("players %q, want %q", again.Names, script.Names)
	}
	want, got := actionsOf(script), actionsOf(again)
	if len(want) != len(got) {
		t.Errorf("%d actions, want %d", len(got), len(want))
	}
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("action %d of %d is %s, want %s", i, len(want), got[i], want[i])
		}
	}
	if w, g := leavesIn(script), leavesIn(again); !slices.Equal(w, g[:len(w)]) {
		t.Errorf("leaves %q, want %q", g, w)
	}
	checkResults(t, h, row, file)
	t.Logf("%d actions of %d players in %v: the same", len(got), len(script.Names), time.Duration(row.PlayedMS)*time.Millisecond)
}

func actionsOf(s *bots.Script) (list []string) {
	left := map[int]bool{} // some files have actions of who has left
	for _, step := range s.Steps {
		left[step.Seat] = left[step.Seat] || step.Kind == bots.StepLeave
		if step.Kind == bots.StepAct && !left[step.Seat] {
			list = append(list, fmt.Sprintf("%d % X", step.Seat, step.Data))
		}
	}
	return list
}

func leavesIn(s *bots.Script) (list []string) {
	for _, step := range s.Steps {
		if step.Kind == bots.StepLeave {
			list = append(list, fmt.Sprint(step.Seat))
		}
	}
	return list
}

// checkResults holds the results in the game log against those that the recorded
// game reported.
func checkResults(t *testing.T, h testHost, row storage.Game, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var roster []mapstats.Player
	for _, p := range replay.Summarise(r).Players {
		if p.Slot != nil {
			roster = append(roster, mapstats.Player{PID: p.PID, Name: p.Name, Colour: p.Slot.Colour})
		}
	}
	stats := mapstats.New(w3gs.DefaultVersion, roster)
	if r, err = replay.NewReader(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	for rec, err := range r.Records() {
		if err != nil {
			break
		}
		for pid, action := range w3gs.Actions(rec.Commands) {
			stats.Action(0, rec.Time, pid, action)
		}
	}
	stats.Finish()
	var want, got []string
	for _, res := range stats.Results() {
		who, name := res.About, res.Name
		if res.PID != 0 { // the map of these games has not said so
			name += " (doubtful)"
		}
		for _, p := range roster {
			if p.PID == res.PID {
				who = p.Name
			}
		}
		want = append(want, fmt.Sprintf("%v %s %s=%s", res.Source, who, name, res.Value))
	}
	detail, err := h.store(t).Game(t.Context(), row.Key)
	if err != nil {
		t.Fatal(err)
	}
	got = resultsOf(detail)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("results:\n%q, want\n%q", got, want)
	}
	t.Logf("%d results", len(got))
}

func resultsOf(g *storage.GameDetail) (list []string) {
	for _, r := range g.Results {
		if r.Name == storage.ResultUncounted {
			continue
		}
		who := ""
		for _, p := range g.People {
			if int(p.PID) == int(r.PID) {
				who = p.Name
			}
		}
		name := r.Name
		if r.Doubtful {
			name += " (doubtful)"
		}
		list = append(list, fmt.Sprintf("%v %s %s=%s", r.Source, who, name, r.Value))
	}
	return list
}

// writeStatsGame writes a replay of a game that reported W3MMD and DotA values.
func writeStatsGame(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start := &replay.Start{
		GameName: "stats", Settings: replay.Settings{MapPath: `Maps\t.w3x`, HostName: "Ann", Rest: make([]byte, 21)},
		Players: []replay.Player{{PID: 5, Name: "Ann", Extra: []byte{0}}, {PID: 3, Name: "Bob Two", Extra: []byte{0}}},
	}
	for i, p := range start.Players {
		start.Slots = append(start.Slots, w3gs.Slot{PID: p.PID, Status: w3gs.SlotOccupied, Team: uint8(i), Colour: uint8(i), Handicap: 100})
	}
	w, err := replay.NewWriter(f, replay.HostOf(replay.ProductExpansion, 26), start)
	if err != nil {
		t.Fatal(err)
	}
	stored := func(file, mission, key string, value byte) []byte {
		return append(append([]byte{0x6B}, file+"\x00"+mission+"\x00"+key+"\x00"...), value, 0, 0, 0)
	}
	var reports [][]byte
	for i, m := range []string{
		"init version 1 1", "init pid 0 Ann", `init pid 1 Bob\ Two`, "DefVarP kills int high none", "VarP 0 kills += 3",
		"VarP 1 kills = 7", "FlagP 0 winner", "FlagP 1 loser",
	} {
		number := fmt.Sprint(i)
		reports = append(reports, append(stored("MMD.Dat", "val:"+number, m, byte(i)), stored("MMD.Dat", "chk:"+number, number, byte(i))...))
	}
	reports = append(reports, stored("dr.x", "1", "1", 12), stored("dr.x", "Global", "Winner", 1))
	for _, report := range reports {
		for _, pid := range []uint8{3, 5, 3} { // in turn, so that a turn has to be split
			err = w.Turn(100*time.Millisecond, w3gs.AppendAction(w3gs.AppendAction(nil, pid, report), 8-pid, []byte{0x61}))
		}
	}
	for _, pid := range []uint8{3, 5} {
		err = w.Left(pid, w3gs.LeaveLost)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
}
