package past

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// packetsOf tells the packets of a record.
func packetsOf(t *testing.T, r *Record) string {
	t.Helper()
	var all []string
	for f, err := range r.Packets() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("% X", f[1:]))
	}
	return strings.Join(all, ", ")
}

// bytesOf are the packets of a record behind each other.
func bytesOf(t *testing.T, r *Record) (all []byte) {
	t.Helper()
	for f, err := range r.Packets() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f...)
	}
	return all
}

// recorded writes a replay: two turns of 100 ms, a turn of two packets, an empty one; Bob leaves; a turn
// of 100 ms; and Ann leaves.
func recorded(t *testing.T) []byte {
	t.Helper()
	var f buffer
	w, err := replay.NewWriter(&f, replay.HostOf("W3XP", 26), &replay.Start{
		Players:  []replay.Player{{PID: 2, Name: "Ann"}, {PID: 3, Name: "Bob"}},
		Settings: replay.Settings{MapPath: "x"}, Slots: []w3gs.Slot{{PID: 2, Status: 2}, {PID: 3, Status: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	act := []byte{2, 1, 0, 9}
	for _, step := range []func() error{
		func() error { return w.Turn(100*time.Millisecond, nil) },
		func() error { return w.Checksum(1) },
		func() error { return w.Turn(100*time.Millisecond, act) },
		w.NoChecksum,
		func() error {
			return w.Chat(replay.Chat{PID: 2, Flag: w3gs.ChatGame, Scope: w3gs.ScopeAllies, Text: "hi"})
		},
		func() error { return w.Part(act) },
		func() error { return w.Turn(50*time.Millisecond, act) },
		func() error { return w.Checksum(3) },
		w.Empty,
		func() error { return w.Left(3, w3gs.LeaveWon) },
		func() error { return w.Turn(100*time.Millisecond, nil) },
		func() error { return w.Checksum(4) },
		func() error { return w.Left(2, w3gs.LeaveLost) },
		w.Close,
	} {
		if err = step(); err != nil {
			t.Fatal(err)
		}
	}
	return f.b
}

// TestReadRecord: each packet is there as it stands in the file, up to the last turn before a time; what stands
// behind that turn is not.
func TestReadRecord(t *testing.T) {
	file := recorded(t)
	const one, two = "0C 06 00 64 00", "0C 0C 00 64 00 04 C5 02 01 00 09"
	const three = "48 0C 00 00 00 04 C5 02 01 00 09, 0C 0C 00 32 00 04 C5 02 01 00 09"
	for _, c := range []struct {
		until        time.Duration
		want         string
		turns        uint32
		left, length int
	}{
		{0, one + ", " + two + ", " + three + ", 0C 06 00 00 00, 07 09 00 03 09 00 00 00, " + one, 4, 3, 350},
		{time.Millisecond, one, 1, 0, 100},
		{100 * time.Millisecond, one, 1, 0, 100},
		{101 * time.Millisecond, one + ", " + two, 2, 0, 200},
		{250 * time.Millisecond, one + ", " + two + ", " + three, 3, 0, 250},
		{350 * time.Millisecond, one + ", " + two + ", " + three + ", 0C 06 00 00 00, 07 09 00 03 09 00 00 00, " + one, 4, 3, 350},
	} {
		in, err := replay.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadRecord(in, c.until)
		if err != nil {
			t.Errorf("until %v: %v", c.until, err)
			continue
		}
		got := packetsOf(t, r)
		if want := w3gs.Only(uint8(c.left)) &^ 1; got != c.want || r.Turns != c.turns || r.Left != want || r.Length != time.Duration(c.length)*time.Millisecond {
			t.Errorf("until %v: %s, %d turns of %v, %b have left; want %s", c.until, got, r.Turns, r.Length, r.Left, c.want)
		}
		for turn := range int(r.Turns) {
			if sum, known := r.Sum(turn); known != (turn != 1) || known && sum != uint32(turn)+1 {
				t.Errorf("until %v: turn %d has the hash %d, %v", c.until, turn, sum, known)
			}
		}
		if n := len(r.Lines); n > 1 || n == 1 && r.Lines[0] != (Line{2, 2, w3gs.ScopeAllies, "hi"}) || (n == 1) != (c.until == 0 || c.until > 100*time.Millisecond) {
			t.Errorf("until %v: %+v", c.until, r.Lines)
		}
	}
}

// TestPackSideBySide is for the race detector: games share a pool of compressors.
func TestPackSideBySide(t *testing.T) {
	for i := range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			want := bytes.Repeat([]byte{byte(i), 1, 2}, 10_000)
			for range 10 {
				if got, err := Unpack(Pack(want)); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes, want %d: %v", len(got), len(want), err)
				}
			}
		})
	}
}

// TestReadRecordRefuses: a record from which no game can go on is refused, with the way out.
func TestReadRecordRefuses(t *testing.T) {
	whole, long, noise := recorded(t), start(t, 20000), rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(noise.Uint32())
		}
		return b
	}
	for what, c := range map[string]struct {
		file  []byte
		until time.Duration
		want  string
	}{
		"beyond the end": {whole, 14 * time.Minute, "the record ends at 0:00, before 14:00"},
		"no turn":        {start(t, 0), 0, "no turn of the game is in the record up to then"},
		"cut":            {long[:len(long)/2], 0, "name a time before that"},
		"long":           {turnsOf(t, 9<<7, func() []byte { return w3gs.AppendAction(nil, 2, random(8<<10)) }), 0, "the record is too long: a game cannot go on from it"},
		"a long turn":    {turnsOf(t, 1, func() []byte { return w3gs.AppendAction(nil, 2, random(w3gs.MaxFrame-10)) }), 0, "a turn at 0:00 is longer than a host can send"},
	} {
		in, err := replay.NewReader(bytes.NewReader(c.file))
		if err != nil {
			t.Fatal(what, err)
		}
		if _, err := ReadRecord(in, c.until); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
}

// start is a replay of so many turns.
func start(t *testing.T, turns int) []byte {
	t.Helper()
	n := -1
	return turnsOf(t, turns, func() []byte { n++; return []byte{2, 3, 0, 9, byte(n * n), byte(n >> 3)} })
}

func turnsOf(t *testing.T, turns int, actions func() []byte) []byte {
	t.Helper()
	var f buffer
	w, err := replay.NewWriter(&f, replay.HostOf("W3XP", 26), &replay.Start{Players: []replay.Player{{PID: 2, Name: "Ann"}}, Settings: replay.Settings{MapPath: "x"}, Slots: []w3gs.Slot{{PID: 2, Status: 2}}})
	for range turns {
		err = errors.Join(err, w.Turn(100*time.Millisecond, actions()))
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return f.b
}

// TestReadRealRecords: real replays can be read to their end and to their half, and have as many turns as their
// tapes.
func TestReadRealRecords(t *testing.T) {
	files, _ := filepath.Glob("../../shared/testdata/replays/*.w3g")
	if len(files) == 0 {
		t.Skip("SKIPPED: no real replays")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, err := replay.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(file, err)
		}
		r, err := ReadRecord(in, 0)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		in, _ = replay.NewReader(bytes.NewReader(data))
		half, err := ReadRecord(in, r.Length/2)
		if err != nil || half.Length < r.Length/2 || half.Length > r.Length/2+time.Second {
			t.Errorf("%s: half of %v is %v, %v", file, r.Length, half.Length, err)
			continue
		}
		if all, first := bytesOf(t, r), bytesOf(t, half); !bytes.HasPrefix(all, first) {
			t.Errorf("%s: its first half has other packets", file)
		}
		known, packed := 0, 0
		for turn := range int(r.Turns) {
			if _, k := r.Sum(turn); k {
				known++
			}
		}
		for _, b := range r.Blocks {
			packed += len(b)
		}
		t.Logf("%s: %v, %d turns, %d hashes, %d lines, %d bytes packed", filepath.Base(file), r.Length, r.Turns, known, len(r.Lines), packed)
	}
}
