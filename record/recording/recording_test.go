package recording

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/formats/replay"
	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"

	"w3host/internal/disk"
	"w3host/internal/testkit"
)

// opened is when the lobbies of these tests do.
var opened = time.Date(2026, 11, 20, 14, 5, 0, 0, time.Local)

func open(t *testing.T, opts Options) (*Archive, *testkit.Log) {
	t.Helper()
	log := new(testkit.Log)
	if opts.Log = zerolog.New(log); opts.Name == "" {
		opts.Name = "{date} {time} {game} ({id})"
	}
	a, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return a, log
}

// begin observes the start of a game of two players and a fake one.
func begin(a *Archive, id uint32, name string) *Recording {
	r := a.New(About{
		Game:   replay.HostOf(replay.ProductExpansion, 26),
		Stat:   w3gs.StatString{MapPath: `Maps\t.w3x`, HostName: "Host", HasSHA1: true},
		Opened: opened,
	})
	tell(r, &game.Opened{Config: &game.Config{ID: id, Name: name, Map: game.Map{Name: "|cFFFF0000DotA|r"}}})
	table := w3gs.SlotTable{RandomSeed: 7, PlayerSlots: 3}
	for pid := range uint8(3) {
		table.Slots = append(table.Slots, w3gs.Slot{PID: pid + 2, Download: 100, Status: w3gs.SlotOccupied, Team: pid, Colour: pid, Handicap: 100})
	}
	tell(r, &game.Started{
		Table: table, Players: []lobby.Player{{PID: 2, Name: "Ann"}, {PID: 3, Name: "Bob"}}, Fakes: []lobby.Player{{PID: 4, Name: "Fake", Fake: true}},
	})
	return r
}

func tell(r *Recording, f game.Fact) { r.Observe(&game.Stamped{At: time.Second, Fact: f}) }

// turns observes so many turns of 100 ms, in which Ann acts and which are
// settled a turn later.
func turns(r *Recording, n int) {
	for i := range n {
		tell(r, &game.Turned{Number: uint32(i + 1), Increment: 100, Actions: w3gs.AppendAction(nil, 2, []byte{0x1A})})
		if i == 9 {
			tell(r, &game.Emptied{Count: 2})
		}
		if i >= 1 {
			tell(r, &game.Settled{Turn: uint32(i), Hash: gamesync.Hash(i)})
		}
	}
}

func leave(r *Recording, pid uint8) {
	tell(r, &game.LeftGame{Player: game.Player{PID: pid}, Reason: w3gs.LeaveLost})
}

// summary reads a replay, which must have no fault.
func summary(t *testing.T, name string) *replay.Summary {
	t.Helper()
	s := replay.Summarise(readerOf(t, name))
	for _, finding := range s.Findings {
		t.Errorf("%s: %s", name, finding.Text)
	}
	return s
}

// What belongs into a replay is in it, and nothing else.
func TestRecording(t *testing.T) {
	dir := t.TempDir()
	a, _ := open(t, Options{Dir: dir})
	r := begin(a, 42, "w3host game #2")
	leave(r, 3) // while loading
	turns(r, 3)
	for _, said := range []lobby.Said{
		{PID: 2, Game: true, Scope: w3gs.ScopeAll, Text: "hi"},
		{PID: 2, Game: true, Scope: w3gs.ScopeAllies, Text: "gank"},
		{PID: 2, Game: true, Scope: w3gs.ScopeSlot, Text: "a secret"},
		{PID: 2, Game: true, Scope: w3gs.ScopeAll, Text: "spam", Muted: true},
		{PID: 2, Text: "in the lobby"},
	} {
		tell(r, &game.Said{Said: said})
	}
	turns(r, 20)
	testkit.Eventually(t, "the file of a game that runs", func() bool {
		_, err := os.Stat(filepath.Join(dir, r.Name()+".part"))
		return err == nil
	})
	leave(r, 2)
	tell(r, &game.Over{})
	tell(r, &game.Turned{}) // nothing may come, and nothing is made of it
	if err := a.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	if want := "2026-11-20 14-05 w3host game #2 (42).w3g"; r.Name() != want {
		t.Errorf("it is called %q, want %q", r.Name(), want)
	}
	s := summary(t, filepath.Join(dir, r.Name()))
	if len(s.Chat) != 2 || s.Chat[0].Text != "hi" || s.Chat[1].Text != "gank" || s.Chat[1].Scope != w3gs.ScopeAllies {
		t.Errorf("chat: %+v", s.Chat)
	}
	if s.Duration != 2300*time.Millisecond || s.Turns != 25 || s.Commands != 23 || s.Checksums < 20 {
		t.Errorf("%v, %d turns, %d commands, %d checksums", s.Duration, s.Turns, s.Commands, s.Checksums)
	}
	if len(s.Players) != 3 || len(s.Leaves) != 2 || s.Leaves[0].Time != 0 || s.Leaves[1].Reason != replay.LeaveLocal {
		t.Errorf("%d players, leaves %+v", len(s.Players), s.Leaves)
	}
}

func TestNames(t *testing.T) {
	a := &Archive{opts: Options{}, names: map[string]bool{}}
	f := fields{game: `a/b\c: "x" |cFF00FF00green|r` + "\x01\xFF", title: "DotA v6", id: 7, started: opened, players: 10}
	for _, test := range [][2]string{
		{"{date} {time} {game} ({id})", `2026-11-20 14-05 a_b_c_ _x_ green__ (7).w3g`},
		{"{map}-{players}", "DotA v6-10.w3g"},
		{"{map}-{players}", "DotA v6-10-2.w3g"},
		{"{MAP}", "{MAP}.w3g"},
		{"...", "game.w3g"},
		{strings.Repeat("ä", 200), strings.Repeat("ä", 90) + ".w3g"},
	} {
		a.opts.Name = test[0]
		if got := a.reserve(&f); got != test[1] {
			t.Errorf("%q gives %q, want %q", test[0], got, test[1])
		}
	}
}

// What two hosts, one of them killed, have left in a folder.
func TestKilledHost(t *testing.T) {
	dir := t.TempDir()
	alive, _ := open(t, Options{Dir: dir})
	playing := begin(alive, 1, "playing")
	turns(playing, 10)
	testkit.Eventually(t, "its file", func() bool {
		stat, err := os.Stat(filepath.Join(dir, playing.Name()+".part"))
		return err == nil && stat.Size() > 0
	})
	whole, err := os.ReadFile(filepath.Join(dir, playing.Name()+".part"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"killed": whole, "torn": append(bytes.Clone(whole), whole[100:4000]...), "empty": nil, "other": []byte("text")} {
		if err := os.WriteFile(filepath.Join(dir, name+".w3g.part"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	next, log := open(t, Options{Dir: dir})
	if err := next.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"killed", "torn"} {
		summary(t, filepath.Join(dir, name+".w3g"))
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*.part"))
	if len(left) != 2 || log.Count("cannot finish a replay") != 1 || log.Count("finished a replay") != 2 {
		t.Errorf("left: %q\n%s", left, log.String())
	}
	tell(playing, &game.Over{})
	if err := alive.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	summary(t, filepath.Join(dir, playing.Name()))
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		name := filepath.Join(dir, fmt.Sprintf("%d.w3g", i))
		age := time.Now().Add(-time.Duration(i) * 24 * time.Hour)
		if os.WriteFile(name, make([]byte, 1000), 0o644) != nil || os.Chtimes(name, age, age) != nil {
			t.Fatal("cannot make files")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "readme.txt"), make([]byte, 10000), 0o644); err != nil {
		t.Fatal(err)
	}
	count := func() int { left, _ := filepath.Glob(filepath.Join(dir, "*")); return len(left) }
	for _, test := range []struct {
		opts Options
		left int
	}{{Options{}, 11}, {Options{KeepFor: 180 * time.Hour}, 9}, {Options{KeepBytes: 3500}, 4}} {
		test.opts.Dir = dir
		a, _ := open(t, test.opts)
		if err := a.Close(time.Minute); err != nil {
			t.Fatal(err)
		}
		if got := count(); got != test.left {
			t.Errorf("%+v leaves %d files, want %d", test.opts, got, test.left)
		}
	}
}

// A disk that hangs costs the rest of a replay, and never the time of a game.
func TestSlowDisk(t *testing.T) {
	a := &Archive{jobs: make(chan *batch, 2), names: map[string]bool{}, opts: Options{Name: "x", Dir: t.TempDir(), Disk: disk.System}}
	a.spare.New = func() any { return new(batch) }
	r := begin(a, 1, "x")
	turns(r, 1000)
	tell(r, &game.Over{})
	if !r.lost.Load() || len(a.jobs) != 2 {
		t.Errorf("lost %v, %d batches wait", r.lost.Load(), len(a.jobs))
	}
	a.quit, a.done = make(chan struct{}), make(chan struct{})
	go a.run() // the disk is back
	testkit.Eventually(t, "the file", func() bool { return free(disk.System, filepath.Join(a.opts.Dir, r.Name())) != nil })
	if s := summary(t, filepath.Join(a.opts.Dir, r.Name())); s.Turns != int(batchTime/(100*time.Millisecond)) {
		t.Errorf("%d turns, want those of a batch", s.Turns)
	}
	if err := a.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
}

// A turn costs the game no memory.
func TestObserveAllocatesNothing(t *testing.T) {
	a, _ := open(t, Options{Dir: t.TempDir()})
	defer a.Close(time.Minute)
	r := begin(a, 1, "x")
	turns(r, 500)
	turn := &game.Stamped{Fact: &game.Turned{Increment: 1, Actions: w3gs.AppendAction(nil, 2, []byte{0x1A})}}
	hash := &game.Stamped{Fact: &game.Settled{}}
	if n := testing.AllocsPerRun(1000, func() { r.Observe(turn); r.Observe(hash) }); n != 0 { // an average, rounded down
		t.Errorf("%v allocations in a turn", n)
	}
}

func readerOf(t *testing.T, file string) *replay.Reader {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
