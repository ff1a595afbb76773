package host

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"w3host/mapxfer"
	"w3host/protocol/w3gs"
)

// realLobby is what a joining client of about 1.32 and a client that hosted said to
// each other (wc3tools/wc3-samples), a packet a line; it is not part of this
// repository.
const realLobby = "../../shared/testdata/packets/lobby-join.hex"

// TestRealClientJoins plays the joining client's side, byte for byte except the
// id and key of the game, and wants the answers of the hosting client: the same packets in
// the same order, and the same bytes where the host decides them.
func TestRealClientJoins(t *testing.T) { inBubble(t, testRealClientJoins) }

func testRealClientJoins(t *testing.T) {
	text, err := os.ReadFile(realLobby)
	if err != nil {
		t.Skipf("SKIPPED: no real client to play: %v", err)
	}
	r := newRig(t, func(o *Options) {
		o.Game.Version = 32
		o.Game.Lobby.SetOwner("")
		o.Game.Lobby.Voice.VirtualHost = "HOST"
		o.Game.Lobby.Wire.HideAddresses = true
	})
	g, err := r.h.OpenLobby("real", realMap())
	if err != nil {
		t.Fatal(err)
	}
	joiner := r.dial()
	joiner.Name = "joiner"
	go joiner.Listen()
	extras := 0
	for line := range strings.Lines(string(text)) {
		side, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case side == "C":
			if b[1] == 0x1E {
				copy(b[4:], packet(0, g.ID(), g.EntryKey())[4:])
			}
			joiner.Send(b)
		case b[1] == 0x01: // pings come when they are due
		default:
			wantAsReal(t, joiner.Next(), b)
			if b[1] == 0x59 {
				extras++
			}
		}
	}
	if extras != 6 {
		t.Errorf("%d packets 0x59, want 6", extras)
	}
	wantFIN(t, joiner)
}

// wantAsReal compares a packet with what a hosting client sent in its place. The hosting client
// has a slot, and a join counter of 1; a virtual host has neither.
func wantAsReal(t *testing.T, got, real []byte) {
	t.Helper()
	if got == nil || got[1] != real[1] {
		t.Fatalf("got %X\nwant as %X", got, real)
	}
	switch got[1] {
	case 0x04, 0x09:
		var slots, want w3gs.SlotInfo
		if n := len(real) - len(got); got[1] == 0x04 && n != 0 {
			t.Errorf("%d bytes less in %X", n, got)
		}
		if got[1] == 0x09 {
			if err := errors.Join(slots.Decode(got[4:]), want.Decode(real[4:])); err != nil {
				t.Fatal(err)
			}
			if own, was := slots.Slots[0], want.Slots[1]; own.PID != was.PID || own.Race != was.Race {
				t.Errorf("the joiner in slot %+v, was in %+v", own, was)
			}
		}
	case 0x06:
		real[4] = got[4]
		fallthrough
	default:
		if !bytes.Equal(got, real) {
			t.Errorf("got %X\nwant %X", got, real)
		}
	}
}

// realMap is one of the size and path that the client holds.
func realMap() *Map {
	m := testMap(2)
	data := make([]byte, 0x1F0C4)
	m.Path, m.Size, m.CRC32, m.Checksum = `Maps\(2)bootybay.w3m`, uint32(len(data)), 0x5616f407, 0x798b3156
	copy(m.SHA1[:], "\xc9\xe4\x6e\xd6\x56\xff\x8e\x8d\x8c\x60\x8d\x39\x03\x6e\x3f\x1b\xfa\x0b\x1c\xc2")
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		panic(err)
	}
	return &Map{Map: m.Map, Parts: parts}
}
