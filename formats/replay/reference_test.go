package replay

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"w3host/protocol/w3gs"
)

// realDir holds replays made by others, with what two independent parsers read
// in them. The project does not ship it.
const realDir = "../../../shared/testdata/replays"

type reference struct {
	File       string
	Version    any
	Build      *uint16
	DurationMS int64
	Players    int
	Slots      *int
	Chat       int
	Leaves     int
	Timeslots  *struct{ Count, MS, Blocks, Actions int }
	Map        struct{ Path, Checksum, SHA1 string }
}

// realReplays are the files with their references; without the folder the test
// is skipped.
func realReplays(t testing.TB) []reference {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realDir, "reference.json"))
	if err != nil {
		t.Skipf("SKIP: needs real replays: %v", err)
	}
	var refs []reference
	if err := json.Unmarshal(data, &refs); err != nil {
		t.Fatal(err)
	}
	return refs
}

func readReal(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func open(t testing.TB, data []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRealReplaysReadAsReferenced(t *testing.T) {
	for _, ref := range realReplays(t) {
		t.Run(ref.File, func(t *testing.T) {
			s := Summarise(open(t, readReal(t, ref.File)))
			if len(s.Findings) > 0 {
				t.Errorf("findings %v", s.Findings)
			}
			check := func(what string, got, want any) {
				if got != want {
					t.Errorf("%s is %v, want %v", what, got, want)
				}
			}
			if v, ok := ref.Version.(string); ok && ref.File != "gowarcraft3-test_130.w3g" { // there "1.30.2+"
				check("version", s.Version.String(), v)
			}
			check("duration", s.Duration.Milliseconds(), ref.DurationMS)
			check("players", len(s.Players), ref.Players)
			check("chat", len(s.Chat), ref.Chat)
			check("leaves", len(s.Leaves), ref.Leaves)
			check("map", s.Start.Settings.MapPath, ref.Map.Path)
			var wire [4]byte // the parsers print the bytes of the file
			for i := range wire {
				wire[i] = byte(s.Start.Settings.Checksum >> (8 * i))
			}
			check("map checksum", hex.EncodeToString(wire[:]), ref.Map.Checksum)
			if sum, ok := s.Start.Settings.SHA1(s.Program); ok {
				check("map SHA-1", hex.EncodeToString(sum[:]), ref.Map.SHA1)
			}
			if ref.Build != nil {
				check("build", s.Build, *ref.Build)
				check("slots", len(s.Slots), *ref.Slots)
				check("turns", s.Turns, ref.Timeslots.Count)
				check("time of the turns", int(s.Played.Milliseconds()), ref.Timeslots.MS)
				check("command blocks", s.Commands, ref.Timeslots.Blocks)
				check("actions", s.Actions, ref.Timeslots.Actions)
			}
		})
	}
}

func TestRealReplaysVerify(t *testing.T) {
	for _, ref := range realReplays(t) {
		for _, f := range Verify(open(t, readReal(t, ref.File))) {
			if f.Fault {
				t.Errorf("%s: %s", ref.File, f.Text)
			}
		}
	}
}

// Every action of the real files is of a known length, in every version.
func TestRealReplaysHaveNoUnknownAction(t *testing.T) {
	for _, ref := range realReplays(t) {
		r := open(t, readReal(t, ref.File))
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			for pid, data := range w3gs.Actions(rec.Commands) {
				for a := range r.Rules().Actions(data) {
					if !a.Known {
						t.Fatalf("%s: player %d at %v: % x in % x", ref.File, pid, rec.Time, a.Data, data)
					}
				}
			}
		}
	}
}

// The start of the game is written as it was read, byte by byte.
func TestStartIsWrittenAsRead(t *testing.T) {
	for _, ref := range realReplays(t) {
		data := readReal(t, ref.File)
		r := open(t, data)
		size := r.stream.offset()
		again := open(t, data)
		again.stream.at = 0
		if again.stream.read < size {
			t.Fatalf("%s: the start does not fit into what was read", ref.File)
		}
		if got, want := r.Start.appendTo(nil, r.Program), again.stream.buf[:size]; !bytes.Equal(got, want) {
			t.Errorf("%s:\n got % x\nwant % x", ref.File, got, want)
		}
		if got := r.Header.AppendTo(nil); !bytes.Equal(got, data[r.Prefix:][:len(got)]) {
			t.Errorf("%s: header\n got % x\nwant % x", ref.File, got, data[:len(got)])
		}
	}
}
