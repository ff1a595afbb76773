package w3gs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"
)

var turnGoldens = []golden{
	{name: "IncomingAction/empty", dir: FromHost, want: &IncomingAction{IncrementMillis: 100}},
	{name: "IncomingAction", dir: FromHost, alsoWhole: onlyIncrement, want: &IncomingAction{
		IncrementMillis: 250,
		Actions:         []byte{1, 3, 0, 0x16, 0x01, 0x00, 5, 1, 0, 0x02, 2, 0, 0},
	}},
	{name: "IncomingAction2", dir: FromHost, alsoWhole: onlyIncrement, want: &IncomingAction2{
		Actions: []byte{1, 3, 0, 0x16, 0x01, 0x00},
	}},
	{name: "OutgoingAction", dir: FromClient, want: &OutgoingAction{Data: []byte{0x16, 0x01, 0x02, 0x00, 0x11, 0x22}}},
	{name: "Keepalive", dir: FromClient, want: &Keepalive{Checksum: 0x9A3F11C0}},
	{name: "Desync", dir: FromHost, want: &Desync{Unknown0: 1, Unknown4: 4, Checksum: 0x9A3F11C0, PIDs: []uint8{1, 3}}},
	{
		name: "DesyncUnknown", dir: FromHost, alsoWhole: func(int) bool { return true }, openEnd: true,
		want: &Raw{ID: OpDesyncUnknown, Body: []byte{1, 2, 3}},
	},
}

// onlyIncrement: a turn without actions ends after its first field.
func onlyIncrement(n int) bool { return n == 2 }

// The public documents give 0x27 a u32 and 8 bytes in all. Real clients send 9,
// so 9 are accepted and 8 are not.
func TestKeepaliveLength(t *testing.T) {
	nine := Frame{0xF7, 0x27, 0x09, 0x00, 0x01, 0x78, 0x56, 0x34, 0x12}
	got, err := Decode(nine, FromClient)
	if err != nil {
		t.Fatal(err)
	}
	if k := got.(*Keepalive); k.Unknown0 != 1 || k.Checksum != 0x12345678 {
		t.Errorf("9 bytes: got %+v", k)
	}
	eight := Frame{0xF7, 0x27, 0x08, 0x00, 0x78, 0x56, 0x34, 0x12}
	if _, err := Decode(eight, FromClient); !errors.Is(err, ErrShort) {
		t.Errorf("8 bytes: got %v, want ErrShort", err)
	}
}

func TestTurnRefusals(t *testing.T) {
	sum := func(actions ...byte) []byte {
		return append(binary.LittleEndian.AppendUint16([]byte{100, 0}, uint16(crc32.ChecksumIEEE(actions))), actions...)
	}
	for _, tt := range []struct {
		name   string
		p      Packet
		body   []byte
		want   error
		offset int
	}{
		{"wrong crc", &IncomingAction{}, []byte{100, 0, 1, 2, 1, 0, 0}, ErrChecksum, 7},
		{"action cut short", &IncomingAction{}, sum(1, 1, 0, 0x16, 2, 9, 0, 0x16), ErrShort, 8},
		{"prefix cut short", &IncomingAction{}, sum(1, 1, 0, 0x16, 2), ErrShort, 8},
		{"over 1452 bytes", &IncomingAction{}, sum(make([]byte, MaxBatchLen+3)...), ErrTooLong, 4},
		{"0x48 with an increment", &IncomingAction2{}, sum(1, 0, 0), ErrValue, 2},
		{"wrong crc of an action", &OutgoingAction{}, []byte{0, 0, 0, 0, 0x16}, ErrChecksum, 5},
		{"action over 1027 bytes", &OutgoingAction{}, make([]byte, 4+MaxActionLen+1), ErrTooLong, 4},
		{"more pids than bytes", &Desync{}, []byte{1, 0, 0, 0, 4, 0, 0, 0, 0, 200, 1}, ErrCount, 10},
	} {
		err := tt.p.Decode(tt.body)
		var e *DecodeError
		if !errors.As(err, &e) || !errors.Is(err, tt.want) || e.Offset != tt.offset || e.Op != tt.p.Op() {
			t.Errorf("%s: got %v, want %v at byte %d", tt.name, err, tt.want, tt.offset)
		}
	}
}

// The longest turn and the longest action are still accepted.
func TestTurnBounds(t *testing.T) {
	batch := AppendAction(nil, 1, make([]byte, MaxActionLen))
	batch = AppendAction(batch, 2, make([]byte, MaxBatchLen-len(batch)-ActionPrefix))
	frame := Frame((&IncomingAction{IncrementMillis: 1, Actions: batch}).AppendTo(nil))
	if len(frame) != 1460 {
		t.Errorf("the longest turn is %d bytes, want 1460", len(frame))
	}
	if err := new(IncomingAction).Decode(frame.Body()); err != nil {
		t.Error(err)
	}
	frame = (&OutgoingAction{Data: make([]byte, MaxActionLen)}).AppendTo(nil)
	if err := new(OutgoingAction).Decode(frame.Body()); err != nil {
		t.Error(err)
	}
}

func TestActions(t *testing.T) {
	batch := AppendAction(nil, 1, []byte{0x16, 0x01})
	batch = AppendAction(batch, 5, nil)
	batch = AppendAction(batch, 1, []byte{0x02})
	if want := []byte{1, 2, 0, 0x16, 0x01, 5, 0, 0, 1, 1, 0, 0x02}; !bytes.Equal(batch, want) {
		t.Fatalf("got % X, want % X", batch, want)
	}
	var pids []uint8
	var data [][]byte
	for pid, d := range Actions(batch) {
		pids = append(pids, pid)
		data = append(data, d)
	}
	if !bytes.Equal(pids, []uint8{1, 5, 1}) {
		t.Errorf("got pids %v", pids)
	}
	if !bytes.Equal(bytes.Join(data, []byte{0xFF}), []byte{0x16, 0x01, 0xFF, 0xFF, 0x02}) {
		t.Errorf("got data % X", data)
	}
	for range Actions(batch) {
		break // a caller may stop early
	}
}
