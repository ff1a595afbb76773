package w3gs

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// golden is one packet whose bytes stand in testdata, each file with the origin
// of its bytes, and the struct that they mean.
type golden struct {
	name string // section of the hex file
	dir  Dir
	want Packet

	// A prefix of this payload length is a packet of its own; nil for none.
	alsoWhole func(n int) bool
	// The payload runs to the end of the frame, whatever its length.
	openEnd bool
}

// conversations are the hex files, each with its table in the test beside the
// code.
var conversations = []struct {
	file    string
	goldens []golden
}{
	{"ping", pingGoldens},
	{"join", joinGoldens},
	{"slotinfo", slotInfoGoldens},
	{"chat", chatGoldens},
	{"start", startGoldens},
	{"turn", turnGoldens},
	{"lag", lagGoldens},
	{"leave", leaveGoldens},
	{"transfer", transferGoldens},
	{"peer", peerGoldens},
	{"extra", extraGoldens},
	{"lan", lanGoldens},
}

func TestGoldenDecode(t *testing.T) {
	eachGolden(t, func(t *testing.T, g golden, frame Frame) {
		got, err := Decode(frame, g.dir)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, g.want) {
			t.Errorf("got  %+v\nwant %+v", got, g.want)
		}
	})
}

func TestGoldenAppend(t *testing.T) {
	eachGolden(t, func(t *testing.T, g golden, frame Frame) {
		if got := g.want.AppendTo(nil); !bytes.Equal(got, frame) {
			t.Errorf("got  % X\nwant % X", got, []byte(frame))
		}
		if got := g.want.AppendTo([]byte("before")); !bytes.Equal(got, append([]byte("before"), frame...)) {
			t.Errorf("behind other bytes: got % X", got)
		}
	})
}

// A packet cut short anywhere is an error that says where.
func TestGoldenTruncated(t *testing.T) {
	eachGolden(t, func(t *testing.T, g golden, frame Frame) {
		for n := range len(frame) {
			if f, rest, err := Next(frame[:n], MaxFrame); f != nil || err != nil || len(rest) != n {
				t.Fatalf("%d bytes of a stream: got frame % X, error %v", n, []byte(f), err)
			}
			wantDecodeError(t, n, func() error { _, err := ParseDatagram(frame[:n]); return err }())
		}
		for n := range len(frame.Body()) {
			err := New(frame.Op(), g.dir).Decode(frame.Body()[:n])
			if g.alsoWhole != nil && g.alsoWhole(n) {
				if err != nil {
					t.Errorf("%d bytes are a packet too, got %v", n, err)
				}
				continue
			}
			e := wantDecodeError(t, n, err)
			if e != nil && (e.Op != frame.Op() || e.Offset < 0 || e.Offset > n) {
				t.Errorf("%d bytes of the payload: got %v", n, e)
			}
		}
	})
}

func TestGoldenTrailing(t *testing.T) {
	eachGolden(t, func(t *testing.T, g golden, frame Frame) {
		_, err := ParseDatagram(append(bytes.Clone(frame), 0))
		wantDecodeError(t, len(frame)+1, err)
		if g.openEnd {
			return
		}
		body := append(bytes.Clone(frame.Body()), 0)
		wantDecodeError(t, len(body), New(frame.Op(), g.dir).Decode(body))
	})
}

// A struct that is decoded into again keeps nothing of the packet before.
func TestGoldenReuse(t *testing.T) {
	for _, c := range conversations {
		file := readHex(t, c.file)
		for _, first := range c.goldens {
			for _, then := range c.goldens {
				if reflect.TypeOf(first.want) != reflect.TypeOf(then.want) || first.want.Op() != then.want.Op() {
					continue
				}
				p := New(then.want.Op(), then.dir)
				if err := errors.Join(p.Decode(file[first.name].Body()), p.Decode(file[then.name].Body())); err != nil {
					t.Fatalf("%s, then %s: %v", first.name, then.name, err)
				}
				if got, want := fmt.Sprintf("%+v", p), fmt.Sprintf("%+v", then.want); got != want {
					t.Errorf("%s after %s:\ngot  %s\nwant %s", then.name, first.name, got, want)
				}
			}
		}
	}
}

// Every packet of the tables has a golden, and every golden a struct.
func TestGoldenCoverage(t *testing.T) {
	type key struct {
		op  Op
		dir Dir
	}
	have := map[key]bool{}
	for _, c := range conversations {
		left := readHex(t, c.file)
		for _, g := range c.goldens {
			have[key{g.want.Op(), g.dir}] = true
			delete(left, g.name)
		}
		for name := range left {
			t.Errorf("testdata/%s.hex: %s has no struct", c.file, name)
		}
	}
	for i := range 256 {
		op := Op(i)
		for _, dir := range []Dir{FromHost, FromClient, Peer, LAN} {
			p := New(op, dir)
			if p == nil {
				continue
			}
			if p.Op() != op {
				t.Errorf("%v makes a %v", op, p.Op())
			}
			if !have[key{op, dir}] {
				t.Errorf("%v has no golden", op)
			}
		}
	}
}

func eachGolden(t *testing.T, test func(t *testing.T, g golden, frame Frame)) {
	t.Helper()
	for _, c := range conversations {
		file := readHex(t, c.file)
		for _, g := range c.goldens {
			t.Run(g.name, func(t *testing.T) {
				frame, ok := file[g.name]
				if !ok {
					t.Fatalf("testdata/%s.hex has no section %q", c.file, g.name)
				}
				test(t, g, frame)
			})
		}
	}
}

// goldenFrames are the frames that one side sends, in the order of the tables.
func goldenFrames(t testing.TB, dir Dir) (frames []Frame) {
	t.Helper()
	for _, c := range conversations {
		file := readHex(t, c.file)
		for _, g := range c.goldens {
			if g.dir == dir {
				frames = append(frames, file[g.name])
			}
		}
	}
	return frames
}

// readHex reads testdata/name.hex: sections that begin with "== name", hex
// bytes, and comments after #.
func readHex(t testing.TB, name string) map[string]Frame {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]Frame{}
	section := ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if s, ok := strings.CutPrefix(line, "== "); ok {
			section = s
			continue
		}
		b, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
		if err != nil {
			t.Fatalf("%s: %q: %v", f.Name(), line, err)
		}
		if len(b) > 0 {
			out[section] = append(out[section], b...)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func wantDecodeError(t *testing.T, n int, err error) *DecodeError {
	t.Helper()
	var e *DecodeError
	if !errors.As(err, &e) {
		t.Errorf("%d bytes: got error %v, want a DecodeError", n, err)
		return nil
	}
	if e.Err == nil {
		t.Errorf("%d bytes: DecodeError without a cause", n)
	}
	return e
}
