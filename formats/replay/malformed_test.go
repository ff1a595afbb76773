package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// streamOf is the stream of a short game, and where its records begin.
func streamOf(t *testing.T) (stream []byte, records int) {
	t.Helper()
	stream = fourPlayers().appendTo(nil, game126)
	records = len(stream)
	for id := byte(recStart1); id <= recStart3; id++ {
		stream = append(stream, id, 1, 0, 0, 0)
	}
	return stream, records
}

func TestMalformedStarts(t *testing.T) {
	good, n := streamOf(t)
	slots := bytes.Index(good, []byte{recGameStart, 79, 0, 8})
	if slots < 0 {
		t.Fatal("no slots")
	}
	for text, change := range map[string]func([]byte) []byte{
		"the host's record has the ID": func(b []byte) []byte { b[4] = 1; return b },
		"game start record of":         func(b []byte) []byte { b[slots+3] = 200; return b },
		"in the player list":           func(b []byte) []byte { b[slots] = 0x55; return b },
		"the settings are too short":   func(b []byte) []byte { b[bytes.IndexByte(b, 'w')+len("w3host game")+5] = 0; return b },
		"ends in":                      func(b []byte) []byte { return b[:n-3] },
		"the game's name is longer than": func([]byte) []byte {
			return append(append([]byte{0x10, 1, 0, 0, 0, 1, 'A', 0, 0}, bytes.Repeat([]byte{'x'}, 2000)...), 0)
		},
		"more than 64 players": func(b []byte) []byte {
			return append(b[:slots:slots], bytes.Repeat([]byte{recPlayer, 9, 0, 0, 0, 0, 0, 0}, 70)...)
		},
		"more metadata than":          func(b []byte) []byte { return append(b[:slots:slots], 0x39, 3, 0xFF, 0xFF, 0xFF, 0xFF) },
		"end in the middle of a name": func(b []byte) []byte { return cutSettings(b) },
	} {
		_, err := NewReader(bytes.NewReader(wrap(change(bytes.Clone(good)), 26)))
		if err == nil || !strings.Contains(err.Error(), text) || !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrTruncated) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

// cutSettings ends the encoded settings in the map's path.
func cutSettings(b []byte) []byte {
	s := fourPlayers()
	plain := s.Settings.appendTo(nil)
	encoded := w3gs.AppendStatEncoded(nil, plain)
	short := w3gs.AppendStatEncoded(nil, plain[:20])
	return bytes.Replace(b, encoded, short, 1)
}

// What cannot be a record ends the reading there, and the rest is told.
func TestMalformedRecords(t *testing.T) {
	start, _ := streamOf(t)
	good := (&Leave{LeaveRemote, 2, w3gs.LeaveLost, 1}).appendTo(nil)
	for text, record := range map[string][]byte{
		"unknown record ID 0x77":          {0x77},
		"unknown record ID 0x00":          {0, 1},
		"truncated turn of 1 bytes":       {recTurn, 1, 0, 7},
		"commands of a turn do not match": {recTurn, 6, 0, 100, 0, 1, 9, 0, 0x61},
		"chat line of 1 bytes":            {recChat, 1, 1, 0, 0x20},
		"chat line without text":          {recChat, 1, 4, 0, 0x20, 0, 0, 0},
		"the stream ends in a record":     {recTurn, 200, 0, 100, 0},
	} {
		data := wrap(append(append(bytes.Clone(start), good...), record...), 26)
		s := Summarise(open(t, data))
		if len(s.Leaves) != 1 || len(s.Findings) == 0 || !s.Findings[0].Fault || !strings.Contains(s.Findings[0].Text, text) {
			t.Errorf("%d leaves, %v do not say %q", len(s.Leaves), s.Findings, text)
		}
	}
}

// The order of records and who they name is for verify alone.
func TestVerifyFindsDisorder(t *testing.T) {
	start, marks := streamOf(t)
	turn := []byte{recTurn, 2, 0, 100, 0}
	leave := (&Leave{LeaveRemote, 2, w3gs.LeaveLost, 1}).appendTo(nil)
	stranger := (&Leave{LeaveRemote, 77, w3gs.LeaveLost, 1}).appendTo(nil)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for text, stream := range map[string][]byte{
		"is out of order":             join(start, start[marks:marks+5], leave),
		"before the game has started": join(start[:marks+10], turn, leave),
		"only 2 of 3":                 join(start[:marks+10], leave),
		"leaves twice":                join(start, leave, leave),
		"77 leaves but has no record": join(start, stranger),
		"99 acts but has no record":   join(start, []byte{recTurn, 6, 0, 100, 0, 99, 1, 0, 0x61}, leave),
		"88 chats":                    join(start, (&Chat{PID: 88, Flag: w3gs.ChatGame, Text: "x"}).appendTo(nil), leave),
		"does not follow a turn":      join(start, []byte{recChecksum, 4, 1, 2, 3, 4}, leave),
		"does not end with a leave":   join(start, turn),
		"unknown action 0xee":         join(start, []byte{recTurn, 6, 0, 100, 0, 1, 1, 0, 0xEE}, leave),
	} {
		findings := Verify(open(t, wrap(stream, 26)))
		found := false
		for _, f := range findings {
			found = found || strings.Contains(f.Text, text)
		}
		if !found {
			t.Errorf("%v do not say %q", findings, text)
		}
	}
}

// A duration that is longer than all turns is one finding.
func TestVerifyFindsLongDuration(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 100)
	h := open(t, f.data).Header
	h.Duration += time.Minute
	copy(f.data, h.AppendTo(nil))
	if findings := Verify(open(t, f.data)); len(findings) != 1 || !strings.Contains(findings[0].Text, "the header says 1m10s, all turns together take 10s") {
		t.Errorf("%v", findings)
	}
}

// A host that crashed may leave a header without sizes: then the end is where
// only padding follows.
func TestUnfinishedHeader(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 100)
	h := open(t, f.data).Header
	h.FileSize, h.StreamSize, h.Blocks, h.Duration = 0, 0, 0, 0
	copy(f.data, h.AppendTo(nil))
	s := Summarise(open(t, f.data))
	if s.Duration != 10*time.Second || len(s.Leaves) != 4 || len(s.Findings) != 1 || !strings.Contains(s.Findings[0].Text, "not finished") {
		t.Errorf("%v, %d leaves, %v", s.Duration, len(s.Leaves), s.Findings)
	}
	var fixed memFile
	if _, err := Repair(bytes.NewReader(f.data), &fixed); err != nil {
		t.Fatal(err)
	}
	if r := open(t, fixed.data); len(Verify(r)) > 0 || r.Duration != 10*time.Second {
		t.Errorf("repaired: %v, %v", r.Duration, r.Findings)
	}
}

// Times add up without overflow, however many turns there are.
func TestEndlessTurns(t *testing.T) {
	start, _ := streamOf(t)
	turn := []byte{recTurn, 2, 0, 0xFF, 0xFF}
	for len(start)+len(turn)*2 < blockSize {
		start = append(start, turn...)
	}
	left := blockSize - len(start)
	last := binary.LittleEndian.AppendUint16([]byte{recChat, 1}, uint16(left-4))
	last = append(last, 0x10)
	start = append(append(start, last...), make([]byte, left-5)...)
	if len(start) != blockSize {
		t.Fatal(len(start))
	}
	h := Header{Program: game126, Length: headerLen1, Layout: 1, StreamSize: 0xFFFFFFFF, Blocks: 0xFFFFFFFF}
	head := appendBlock(h.AppendTo(nil), compress(start), false)
	stream := append(bytes.Repeat(turn, 1638), recChecksum, 0) // 8192 bytes
	r, err := NewReader(&bomb{head: head, block: appendBlock(nil, compress(stream), false), left: 100000})
	if err != nil {
		t.Fatal(err)
	}
	s := Summarise(r)
	if s.Played < maxTime || s.Played > maxTime+time.Hour || len(s.SVG()) == 0 {
		t.Errorf("%v, %v", s.Played, s.Findings)
	}
}
