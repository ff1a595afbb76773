package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"w3host/bots"
	"w3host/formats/replay"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/internal/w3gjs"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// TestGamesAreRecorded has bots play and holds the replay against what they saw:
// down to the hash of everything after each turn, which the bots answered with.
// Then w3gjs judges the files.
func TestGamesAreRecorded(t *testing.T) {
	tier.All(t, "plays games in real time")
	t.Parallel()
	var mu sync.Mutex
	var files [][]byte
	t.Run("games", func(t *testing.T) {
		for name, opts := range recordedGames {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				data := recordGame(t, name, opts)
				mu.Lock()
				defer mu.Unlock()
				files = append(files, data)
			})
		}
	})
	t.Run("w3gjs", func(t *testing.T) { judge(t, files...) })
}

var recordedGames = map[string]bots.Options{
	"four":      {Players: 4, Play: 3 * time.Second, ChatEvery: time.Second},
	"one":       {Players: 1, Play: time.Second},
	"overflow":  {Players: 6, Play: 6 * time.Second, Burst: 900, ActionBytes: 40},
	"leavers":   {Players: 5, Play: 3 * time.Second, Conduct: leavers},
	"short":     {Players: 2, Play: time.Millisecond},
	"desync":    {Players: 5, Play: 4 * time.Second, Conduct: desyncs},
	"lag":       {Players: 3, Play: 5 * time.Second, Conduct: stalls, ChatEvery: time.Second},
	"in loaded": {Players: 3, Play: time.Second, LoadTime: 2 * time.Second},
}

// recordGame plays a game at a host of its own and returns the replay.
func recordGame(t *testing.T, name string, opts bots.Options) []byte {
	settings := "[log]\nkeep_journals = \"none\"\n[game]\nlatency = \"50ms\"\nlag_limit = \"2s\"\n"
	if name == "in loaded" {
		settings += "load_in_game = true\n"
	}
	h := startHost(t, fmt.Sprintf("%s[lobby]\ncountdown = 0\nautostart = %d\n", settings, opts.Players))
	opts.Addr, opts.Record, opts.Patience, opts.GameID, opts.NoStart = h.addr, true, time.Minute, 1, true
	report, err := bots.Run(t.Context(), opts)
	if err != nil || !report.OK {
		t.Fatalf("%s: %v %v", report.Verdict(), err, report.Faults)
	}
	row := h.ended(t)
	data := h.replay(t, row.Replay)
	checkRecorded(t, data, &report, &row)
	return data
}

// judge compares what w3gjs reads with what our reader does.
func judge(t *testing.T, files ...[]byte) {
	t.Helper()
	for i, j := range w3gjs.Judge(t, files...) {
		r, err := replay.NewReader(bytes.NewReader(files[i]))
		if err != nil {
			t.Fatal(err)
		}
		s := replay.Summarise(r)
		got := []any{s.Turns, s.Played.Milliseconds(), s.Duration.Milliseconds(), s.Start.GameName, len(s.Chat), len(s.Leaves), len(s.Players)}
		want := []any{j.Turns, int64(j.MS), j.Duration, j.Game, len(j.Chat), len(j.Leaves), len(j.Players) + len(j.Observers)}
		if !slices.Equal(got, want) {
			t.Errorf("file %d: %v, for w3gjs %v", i, got, want)
		}
	}
}

func leavers(_, seat int) (c bots.Conduct) {
	if seat > 1 {
		c.LeaveAfter = time.Duration(seat) * 500 * time.Millisecond
	}
	return c
}

func desyncs(_, seat int) (c bots.Conduct) {
	c.Desync = seat == 3
	return c
}

func stalls(_, seat int) (c bots.Conduct) {
	if seat == 1 {
		c.StallAfter, c.StallFor = time.Second, 2500*time.Millisecond
	}
	return c
}

// ended waits for the game's row of the log to be whole.
func (h testHost) ended(t *testing.T) storage.Game {
	t.Helper()
	db := h.store(t)
	var games []storage.Game
	ended := func(g storage.Game) bool { return g.Ended != "" }
	testkit.Eventually(t, "the end of the game in the game log", func() (ok bool) {
		var err error
		if games, err = db.Games(t.Context(), storage.GameFilter{}); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(games, ended)
	})
	return games[slices.IndexFunc(games, ended)]
}

// replay waits for the file that the game log names.
func (h testHost) replay(t *testing.T, name string) []byte {
	t.Helper()
	path := filepath.Join(filepath.Dir(h.config), "replays", name)
	var data []byte
	testkit.Eventually(t, "the replay "+path, func() bool {
		var err error
		data, err = os.ReadFile(path)
		return err == nil
	})
	return data
}

// checkRecorded holds a replay against the bots and the game log.
func checkRecorded(t *testing.T, data []byte, report *bots.Report, row *storage.Game) {
	t.Helper()
	r, err := replay.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	sum := replay.Summarise(r)
	for _, f := range sum.Findings {
		t.Errorf("finding: %s", f.Text)
	}
	if ms := sum.Duration.Milliseconds(); ms != row.PlayedMS || sum.Played != sum.Duration {
		t.Errorf("the replay lasts %d ms, turns %v; the game lasted %d ms", ms, sum.Played, row.PlayedMS)
	}
	if sum.Turns-parts(t, data) != int(row.Turns) {
		t.Errorf("%d turns, the game had %d", sum.Turns-parts(t, data), row.Turns)
	}
	if len(sum.Players) != len(report.Players) {
		t.Errorf("%d players, not %d", len(sum.Players), len(report.Players))
	}
	for _, p := range report.Players {
		got := sum.Player(p.PID)
		if got == nil || got.Name != p.Name || got.Slot == nil || got.Leave == nil {
			t.Errorf("player %d is %+v, want %s with a slot and a leave", p.PID, got, p.Name)
		}
	}
	checkHashes(t, data, report)
	wantChat, wantLeaves := chatOf(report), leavesOf(report)
	var chat, leaves []string
	for _, c := range sum.Chat {
		chat = append(chat, fmt.Sprintf("%d: %s", c.PID, c.Text))
	}
	for _, l := range sum.Leaves {
		leaves = append(leaves, fmt.Sprintf("%d %v", l.PID, l.Result))
	}
	for _, line := range wantChat {
		if !slices.Contains(chat, line) {
			t.Errorf("the line %q is missing", line)
		}
	}
	if i := longestOrder(leaves, wantLeaves); i != len(wantLeaves) {
		t.Errorf("leaves %q, the bots saw %q", leaves, wantLeaves)
	}
	if last := sum.Leaves[len(sum.Leaves)-1]; last.Reason != replay.LeaveLocal {
		t.Errorf("the last leave is %+v, not that of the saver", last)
	}
}

// longestOrder is how many of want are in got, in their order.
func longestOrder(got, want []string) (n int) {
	for _, g := range got {
		if n < len(want) && g == want[n] {
			n++
		}
	}
	return n
}

// chatOf is what bots said to others in the game.
func chatOf(report *bots.Report) (lines []string) {
	for _, p := range report.Players {
		for _, e := range p.Events {
			said := fmt.Sprintf("%d: %s", e.PID, e.Text)
			byBot := slices.ContainsFunc(report.Players, func(p bots.PlayerReport) bool {
				return p.PID == e.PID && len(e.Text) > len(p.Name) && e.Text[:len(p.Name)] == p.Name
			})
			if e.Packet == w3gs.OpChatFromHost && w3gs.ChatFlag(e.Value) == w3gs.ChatGame && byBot && !slices.Contains(lines, said) {
				lines = append(lines, said)
			}
		}
	}
	return lines
}

// leavesOf are those that the bot who stayed longest saw.
func leavesOf(report *bots.Report) (leaves []string) {
	for _, p := range report.Players {
		var seen []string
		for _, e := range p.Events {
			if e.Packet == w3gs.OpPlayerLeave && e.Turn > 0 {
				seen = append(seen, fmt.Sprintf("%d %v", e.PID, w3gs.LeaveReason(e.Value)))
			}
		}
		if len(seen) > len(leaves) {
			leaves = seen
		}
	}
	return leaves
}

func parts(t *testing.T, data []byte) (n int) {
	r, err := replay.NewReader(bytes.NewReader(data))
	if err != nil {
		return 0
	}
	for rec, err := range r.Records() {
		if err == nil && rec.Kind == replay.KindTurnPart {
			n++
		}
	}
	return n
}

// state is the bots' picture of a game, made again from a replay; see
// bots/player.go.
type state uint64

func (s state) mix(v uint64) state {
	h := (uint64(s) ^ v) * 0x9E3779B97F4A7C15
	return state(h ^ h>>29)
}

// checkHashes computes from the replay what every bot answered after each turn.
func checkHashes(t *testing.T, data []byte, report *bots.Report) {
	t.Helper()
	r, err := replay.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	start := &r.Start
	s := state(0).mix(uint64(start.RandomSeed)<<16 | uint64(start.Layout)<<8 | uint64(start.StartSpots))
	for _, slot := range start.Slots {
		slot.Download = 0
		s = s.mix(uint64(crc32.ChecksumIEEE(slot.AppendTo(nil))))
	}
	var players uint64
	for _, p := range start.Players {
		players |= 1 << p.PID
	}
	for _, word := range []uint64{players, 0, 0, 0} {
		s = s.mix(word)
	}
	var partSum, after uint32
	turns, sums, waiting := 0, 0, false
	for rec, err := range r.Records() {
		if err != nil {
			break
		}
		switch rec.Kind {
		case replay.KindTurnPart:
			partSum = crc32.Update(partSum, crc32.IEEETable, rec.Commands)
		case replay.KindTurn:
			partSum = crc32.Update(partSum, crc32.IEEETable, rec.Commands)
			s = s.mix(uint64(w3gs.OpIncomingAction)<<56 | uint64(rec.Increment.Milliseconds())<<32 | uint64(partSum))
			partSum, after, waiting = 0, uint32(s>>32), true
			turns++
		case replay.KindLeave:
			if rec.Leave.Reason == replay.LeaveLocal {
				continue
			}
			s = s.mix(uint64(w3gs.OpPlayerLeave)<<56 | uint64(rec.Leave.PID)<<32 | uint64(rec.Leave.Result))
		case replay.KindChecksum:
			sums++
			if got := binary.LittleEndian.Uint32(rec.Checksum); got != after || !waiting {
				t.Errorf("behind turn %d stands the hash %08x, the replay gives %08x", turns, got, after)
				return
			}
			waiting = false
		}
	}
	if turns > 10 && sums < turns*3/4 && !slices.ContainsFunc(report.Players, func(p bots.PlayerReport) bool { return p.LagScreens > 0 }) {
		t.Errorf("only %d of %d turns have a hash", sums, turns)
	}
}
