package w3gs

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realPackets holds packets captured between real clients of about 1.32
// (wc3tools/wc3-samples); it is not part of this repository.
const realPackets = "../../../shared/testdata/packets"

// TestRealPackets: what real clients sent decodes, and encodes again to the same
// bytes.
func TestRealPackets(t *testing.T) {
	n := 0
	for _, path := range realFiles(t, "*.bin") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += sameAgain(t, filepath.Base(path), b, FromHost|FromClient)
	}
	if n != 25 { // 24 files, of which dual.bin holds two
		t.Errorf("%d packets, want 25", n)
	}
}

// TestRealLobby is a whole lobby, from the 0x1E to the 0x1B, each packet read as
// one of the side that sent it.
func TestRealLobby(t *testing.T) {
	path := realFiles(t, "lobby-join.hex")[0]
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		side, text, _ := strings.Cut(lines.Text(), " ")
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		n += sameAgain(t, lines.Text(), b, map[string]Dir{"C": FromClient, "H": FromHost}[side])
	}
	if n != 23 {
		t.Errorf("%d packets, want 23", n)
	}
}

// sameAgain decodes the packets in b, encodes them, and returns how many there
// were.
func sameAgain(t *testing.T, name string, b []byte, dirs Dir) (n int) {
	t.Helper()
	for len(b) > 0 {
		frame, rest, err := Next(b, MaxFrame)
		if err != nil || frame == nil {
			t.Fatalf("%s: % X: %v", name, b, err)
		}
		read := false
		for _, dir := range []Dir{FromHost, FromClient} {
			if dir&dirs&ops[frame.Op()].dir == 0 {
				continue
			}
			read = true
			p, err := Decode(frame, dir)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got := p.AppendTo(nil); !bytes.Equal(got, frame) {
				t.Errorf("%s: %v\ngot  % X\nwant % X", name, frame.Op(), got, []byte(frame))
			}
		}
		if !read {
			t.Errorf("%s: %v is not of that side", name, frame.Op())
		}
		b, n = rest, n+1
	}
	return n
}

func realFiles(t *testing.T, pattern string) []string {
	t.Helper()
	if _, err := os.Stat(realPackets); err != nil {
		t.Skipf("SKIP: needs real packets: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(realPackets, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

// TestRealPair reads what two 3.0 clients sent in a whole game. Their sums are the same turn by turn;
// the byte before a sum differs between the two, so it is no part of the state of the game.
func TestRealPair(t *testing.T) {
	f, err := os.Open(realFiles(t, "3.0/offline-pair.packets")[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, sums, marks := 0, map[string][]uint32{}, map[string][]uint8{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if fields[0] == "#" {
			continue
		}
		b, err := hex.DecodeString(fields[3])
		if err != nil {
			t.Fatal(err)
		}
		n += sameAgain(t, lines.Text(), b, FromClient)
		var alive Keepalive
		if Op(b[1]) == OpKeepalive && alive.Decode(b[HeaderSize:]) == nil {
			sums[fields[2]], marks[fields[2]] = append(sums[fields[2]], alive.Checksum), append(marks[fields[2]], alive.Unknown0)
		}
	}
	if n != 215 || len(sums["lan0a"]) != 100 || !slices.Equal(sums["lan0a"], sums["lan0b"]) || slices.Equal(marks["lan0a"], marks["lan0b"]) {
		t.Errorf("%d packets, sums %x, bytes before them %x", n, sums, marks)
	}
}
