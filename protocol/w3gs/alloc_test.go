package w3gs

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
)

// hotPackets are sent to every player of every game all the time.
func hotPackets() map[string]Packet {
	batch := AppendAction(nil, 1, make([]byte, 40))
	return map[string]Packet{
		"0x0C empty": &IncomingAction{IncrementMillis: 100},
		"0x0C":       &IncomingAction{IncrementMillis: 100, Actions: batch},
		"0x48":       &IncomingAction2{Actions: batch},
		"0x0F":       &ChatFromHost{Chat{To: []uint8{1, 2, 3, 4}, From: 5, Flag: ChatGame, Text: "good luck, have fun"}},
		"0x43":       &MapPart{To: 1, From: 2, Data: make([]byte, MapPartLen)},
		"0x01":       &PingFromHost{Tick: 1},
		"0x09":       &SlotInfo{SlotTable{Slots: make([]Slot, ClassicSlots)}},
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 4096)
	for name, p := range hotPackets() {
		if n := testing.AllocsPerRun(100, func() { buf = p.AppendTo(buf[:0]) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// The same for a packet that is built where it is sent, as the host does it.
func TestBuildAndAppendAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 4096)
	var (
		to    = []uint8{1, 2, 3}
		slots = make([]Slot, ClassicSlots)
		part  = make([]byte, MapPartLen)
		batch = AppendAction(nil, 1, make([]byte, 40))
		text  = "good luck, have fun"
	)
	for name, build := range map[string]func(){
		"0x0C": func() {
			p := IncomingAction{IncrementMillis: 100, Actions: batch}
			buf = p.AppendTo(buf[:0])
		},
		"0x48": func() {
			p := IncomingAction2{Actions: batch}
			buf = p.AppendTo(buf[:0])
		},
		"0x0F": func() {
			p := ChatFromHost{Chat{To: to, From: 5, Flag: ChatLobby, Text: text}}
			buf = p.AppendTo(buf[:0])
		},
		"0x43": func() {
			p := MapPart{To: 1, From: 2, Offset: 3, CRC32: 4, Data: part}
			buf = p.AppendTo(buf[:0])
		},
		"0x01": func() {
			p := PingFromHost{Tick: 1}
			buf = p.AppendTo(buf[:0])
		},
		"0x09": func() {
			p := SlotInfo{SlotTable{Slots: slots}}
			buf = p.AppendTo(buf[:0])
		},
		"action": func() { buf = AppendAction(buf[:0], 1, part[:64]) },
	} {
		if n := testing.AllocsPerRun(100, build); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// What a player sends most is read into the same struct without allocating.
func TestDecodeAllocatesNothing(t *testing.T) {
	for _, p := range []Packet{&Keepalive{Checksum: 1}, &OutgoingAction{Data: make([]byte, 30)}, &PongToHost{Tick: 9}, &MapPartOK{Size: 1}} {
		frame := Frame(p.AppendTo(nil))
		if n := testing.AllocsPerRun(100, func() {
			if err := p.Decode(frame.Body()); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", p.Op(), n)
		}
	}
}

// A count costs no memory beyond the bytes that came with it.
func TestHostileCountsAllocateLittle(t *testing.T) {
	bodies := [][]byte{
		{255},                                 // 255 receivers, laggers, …
		{0xFF, 0xFF, 255},                     // 255 slots
		{1, 0, 0, 0, 4, 0, 0, 0, 0, 255},      // 255 pids
		append(make([]byte, 15), 'x', 0, 255), // 255 extra bytes of a join
		append(bytes.Repeat([]byte{0xFF}, 20), 0, 0, 0xFF),
	}
	const runs = 50
	for _, dir := range []Dir{FromHost, FromClient, Peer, LAN} {
		for i := range 256 {
			if New(Op(i), dir) == nil {
				continue
			}
			for _, body := range bodies {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range runs {
					New(Op(i), dir).Decode(slices.Clip(body)) //nolint:errcheck // most fail
				}
				runtime.ReadMemStats(&after)
				if each := (after.TotalAlloc - before.TotalAlloc) / runs; each > 2048 {
					t.Errorf("%v: %d bytes allocated for a payload of %d", Op(i), each, len(body))
				}
			}
		}
	}
}
