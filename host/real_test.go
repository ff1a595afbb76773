package host

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"w3host/mapxfer"
)

// realLobby is what a joining client of about 1.32 and a client that hosted said to
// each other (wc3tools/wc3-samples), a packet a line; it is not part of this
// repository.
const realLobby = "../../shared/testdata/packets/lobby-join.hex"

// TestRealClientJoins plays the joining client's side, byte for byte but for the
// id and key of the game, and wants the answers in the order that the hosting client
// gave them.
func TestRealClientJoins(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(realLobby)
	if err != nil {
		t.Skipf("SKIPPED: no real client to play: %v", err)
	}
	r := newRig(t, func(o *Options) { o.Game.Version = 32; o.Game.Lobby.SetOwner("") })
	g, err := r.h.OpenLobby("real", realMap())
	if err != nil {
		t.Fatal(err)
	}
	var joiner, other *client
	relayed := 0
	for line := range strings.Lines(string(text)) {
		side, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		if side != "C" {
			continue
		}
		if b[1] == 0x1E {
			joiner = dial(t, r.h.Addr())
			joiner.Name = "joiner"
			go joiner.Listen()
			copy(b[4:], packet(0, g.ID(), g.EntryKey())[4:])
		}
		joiner.Send(b)
		switch b[1] {
		case 0x1E:
			for _, op := range []byte{0x04, 0x06, 0x3D, 0x09} {
				if got := joiner.Next(); got == nil || got[1] != op {
					t.Fatalf("got %X, want a %02X", got, op)
				}
			}
			other = r.join(g, "Other", nil)
		case 0x42:
			if table := joiner.Until(0x09); table[8] != 100 { // the table with the other comes first
				table = joiner.Until(0x09)
				if table[8] != 100 {
					t.Errorf("with the map: %X", table)
				}
			}
		case 0x59:
			relayed++
			for _, c := range []*client{joiner, other} {
				if got := c.Until(0x59); !bytes.Equal(got, b) {
					t.Errorf("%s: got %X, want %X", c.Name, got, b)
				}
			}
		case 0x28: // to [0xFF]: be human, which was random
			if table := joiner.Until(0x09); table[13] != 0x41 {
				t.Errorf("after the request: %X", table)
			}
		case 0x21:
			if got := joiner.Until(0x1B); len(got) != 4 {
				t.Errorf("got %X", got)
			}
			wantFIN(t, joiner)
			other.Until(0x07)
		}
	}
	if relayed != 4 {
		t.Errorf("%d packets 0x59, want 4", relayed)
	}
}

// TestExtraOfOldClients: before 1.32 nobody is sent a 0x59.
func TestExtraOfOldClients(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	g := r.lobby(2)
	a, b := r.join(g, "A", nil), r.join(g, "B", nil)
	a.Send([]byte{0xF7, 0x59, 0x0B, 0x00, 0x04, 0x02, 0, 0, 0, 0x08, 0x02})
	a.Say("hi", b.PID)
	b.UntilText("hi")
	if n := a.Count(0x59) + b.Count(0x59); n != 0 {
		t.Errorf("%d packets 0x59", n)
	}
}

// realMap is one of the size and path that the client holds.
func realMap() *Map {
	m := testMap(2)
	data := make([]byte, 0x1F0C4)
	m.Path, m.Size = "Maps/(2)bootybay.w3m", uint32(len(data))
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		panic(err)
	}
	return &Map{Map: m.Map, Parts: parts}
}
