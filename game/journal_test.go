package game

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"w3host/game/command"
	"w3host/internal/tier"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/rating"
	gamesync "w3host/sync"
)

// TestRerunInAnotherProcess writes the journals of random games and lets another
// process run them: the same bytes must come out, facts included.
func TestRerunInAnotherProcess(t *testing.T) {
	if dir := os.Getenv("GAME_JOURNALS"); dir != "" {
		rerunAll(t, dir)
		return
	}
	dir := t.TempDir()
	games := tier.Pick(100, 1000)
	want := make([]string, games)
	for seed := range games {
		g := simulate(uint64(seed))
		if g.err != nil {
			t.Fatal(g.err)
		}
		var err error
		if want[seed], err = everything(g.journal); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := os.WriteFile(journalFile(dir, seed), g.journal, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := exec.Command(os.Args[0], "-test.run=^TestRerunInAnotherProcess$")
	other.Env = append(os.Environ(), "GAME_JOURNALS="+dir)
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "sums"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(got), []byte("\n")) {
		if string(line) != want[i] {
			t.Fatalf("seed %d: %s in the other process, %s here", i, line, want[i])
		}
	}
}

func journalFile(dir string, seed int) string {
	return filepath.Join(dir, fmt.Sprintf("%d.journal", seed))
}

func rerunAll(t *testing.T, dir string) {
	f, err := os.Create(filepath.Join(dir, "sums"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	defer w.Flush()
	for seed := 0; ; seed++ {
		journal, err := os.ReadFile(journalFile(dir, seed))
		if os.IsNotExist(err) {
			return
		}
		sum, err := everything(journal)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		fmt.Fprintln(w, sum)
	}
}

// everything sums up all that comes out of a journal: its orders, and its facts
// as JSON.
func everything(journal []byte) (string, error) {
	facts := uint64(0)
	result, err := RunJournal(bytes.NewReader(journal), func(_ *JournalItem, out *Out) {
		for i := range out.Facts {
			b, err := json.Marshal(&out.Facts[i])
			if err != nil {
				b = []byte(err.Error())
			}
			for _, c := range append(b, fmt.Sprintf("%T", out.Facts[i].Fact)...) {
				facts = facts*1099511628211 + uint64(c)
			}
		}
	})
	if err == nil && !result.Checked {
		err = fmt.Errorf("the journal holds no sum")
	}
	return fmt.Sprintf("%d inputs, orders %08x, facts %016x", result.Inputs, result.Sum, facts), err
}

// TestRerunBeginsOnce: what New has made is shown once, though the first entry is no input.
func TestRerunBeginsOnce(t *testing.T) {
	cfg := Config{Lobby: lobby.Defaults(), Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults()}
	out := new(Out)
	New(cfg, out)
	var j Journal
	journal, err := j.Begin(nil, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	journal = j.Check(AppendNote(journal, 1, []byte("a note")), out.Sum(0))
	begun := 0
	if _, err := RunJournal(bytes.NewReader(journal), func(e *JournalItem, _ *Out) {
		if e == nil {
			begun++
		}
	}); err != nil || begun != 1 {
		t.Errorf("shown %d times (%v)", begun, err)
	}
}

// A journal says so when another game comes out of it.
func TestRerunDiffers(t *testing.T) {
	g := simulate(1)
	broken := bytes.Clone(g.journal)
	binary.LittleEndian.PutUint32(broken[len(broken)-4:], g.sum+1)
	if _, err := RunJournal(bytes.NewReader(broken), nil); err == nil {
		t.Error("a wrong sum passes")
	}
	if result, err := RunJournal(bytes.NewReader(g.journal[:len(g.journal)-9]), nil); err != nil || result.Checked {
		t.Errorf("a journal without its end: %+v, %v", result, err)
	}
}

// What needs a caller has one, whatever is in a file.
func TestJournalOfNobody(t *testing.T) {
	for _, kind := range []Kind{Command, SayAll} {
		var j Journal
		b, err := j.Begin(nil, &Config{})
		if err != nil {
			t.Fatal(err)
		}
		b = j.Append(b, 0, &Input{Kind: kind, Line: "hello"})
		if _, err = RunJournal(bytes.NewReader(b), nil); err == nil || !strings.Contains(err.Error(), "without a caller") {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// Whatever is in a file, reading it ends, with an error at the worst.
func FuzzJournal(f *testing.F) {
	g := simulate(3)
	f.Add(g.journal[:min(len(g.journal), 4000)])
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _, err := NewReader(data)
		var e JournalItem
		for err == nil {
			err = r.Next(&e)
		}
		if err != io.EOF && err.Error() == "" {
			t.Error("an error without a word")
		}
	})
}

// TestJournalOfFigures: what the kernel knows decides which parts leave.
func TestJournalOfFigures(t *testing.T) {
	figures := mapxfer.Figures{Queued: 1442, Unacked: 28840, RTT: 63 * time.Millisecond, MinRTT: 12345 * time.Microsecond}
	var j Journal
	b, err := j.Begin(nil, &Config{})
	if err != nil {
		t.Fatal(err)
	}
	said := []Input{
		{Kind: Packet, Link: 7, Figures: figures, Packet: &w3gs.MapPartOK{To: 1, From: 2, Size: 1442}},
		{Kind: Backlog, Link: 7, Queued: 20, Figures: figures, Moves: 3},
	}
	for i := range said {
		b = j.Append(b, 0, &said[i])
	}
	r, _, err := NewReader(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range said {
		var e JournalItem
		err := r.Next(&e)
		if err != nil || e.Input.Kind != in.Kind || e.Input.Figures != figures || e.Input.Moves != in.Moves {
			t.Errorf("%v: %+v", err, e.Input)
		}
	}
}

// TestJournalOfTurns: of the entries that come most only what they have is read, and nothing of
// the entry before is left.
func TestJournalOfTurns(t *testing.T) {
	said := []Input{
		{Kind: Keepalive, Link: 3, Sum: 7, Bytes: 9},
		{Kind: Keepalive, Link: 4, Sum: 7, Bytes: 9},
		{Kind: Action, Link: 3, Data: []byte{1, 2}, Bytes: 10},
		{Kind: Keepalive, Link: 4, Sum: 7, Bytes: 9},
		{Kind: Action, Link: 3, Data: []byte{1, 2}, Bytes: 10},
		{Kind: Action, Link: 130},
		{Kind: Keepalive, Link: 130, Sum: 7, Bytes: 9},
		{Kind: Keepalive, Link: 4, Sum: 7, Bytes: 12},
		{Kind: Keepalive, Link: 4, Bytes: 9},
		{Kind: Tick},
		{Kind: Backlog, Link: 7, Queued: 20, Moves: 3},
		{Kind: Keepalive, Link: 4, Bytes: 9},
		{Kind: Tick},
	}
	var j Journal
	b, err := j.Begin(nil, &Config{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) time.Duration { return time.Duration(i) * time.Second }
	said = append(said, said...)
	for i := range said {
		if b = j.Append(b, at(i), &said[i]); i == len(said)/2 {
			b = AppendNote(b, 1, []byte("a note"))
		}
	}
	r, _, err := NewReader(b)
	if err != nil {
		t.Fatal(err)
	}
	var e JournalItem
	for i := range said {
		if err := r.Next(&e); err != nil || e.At != at(i) || e.Note != nil || !reflect.DeepEqual(e.Input, said[i]) {
			t.Errorf("entry %d: %v, %+v, want %+v", i, err, e, said[i])
		}
		if i == len(said)/2 {
			if err := r.Next(&e); err != nil || e.Note == nil {
				t.Errorf("no note: %v, %+v", err, e)
			}
		}
	}
}

// TestJournalHoldsEveryField fails when a field is added to Input and forgotten in
// the codec.
func TestJournalHoldsEveryField(t *testing.T) {
	in := Input{ // without Data and Sum, which only Action and Keepalive have
		Kind: Command, Link: 1, Bytes: 3, PID: 2, Level: command.Admin, Queued: 4, Moves: 5, By: -6,
		Figures: mapxfer.Figures{Queued: 8, Unacked: 9, RTT: 10, MinRTT: 11}, Packet: &w3gs.PongToHost{Tick: 12},
		Addr: netip.MustParseAddrPort("10.0.0.1:13"), Why: "14", Banned: "15", Shared: true, Realm: "16", Vouched: true,
		Caller: &command.Caller{Name: "17"}, Line: "18", Skill: rating.Skill{Mu: 19, Sigma: 20}, Language: 1, Like: "Ann", Country: "DE", Games: 1, Version: 27, Last: 21,
	}
	for i, v := 0, reflect.ValueOf(in); i < v.NumField(); i++ {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Data" && name != "Sum" {
			t.Errorf("this test leaves %s empty", name)
		}
	}
	var j Journal
	b, _ := j.Begin(nil, &Config{})
	r, _, err := NewReader(j.Append(b, time.Second, &in))
	if err != nil {
		t.Fatal(err)
	}
	var e JournalItem
	if err := r.Next(&e); err != nil || e.At != time.Second || !reflect.DeepEqual(e.Input, in) {
		t.Errorf("%v: %+v, want %+v", err, e.Input, in)
	}
}
