package w3gs

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

var slotInfoGoldens = []golden{
	{name: "SlotInfo", dir: FromHost, want: &SlotInfo{SlotTable{
		Slots: []Slot{
			{PID: 2, Download: 100, Status: SlotOccupied, Colour: 3, Race: RaceOrc | RaceSelectable, AI: AINormal, Handicap: 90},
			{PID: 7, Download: DownloadUnknown, Status: SlotOccupied, Team: 1, Colour: 11, Race: RaceUndead, AI: AINormal, Handicap: 50},
			{Download: DownloadUnknown, Status: SlotOpen, Team: 1, Colour: 4, Race: RaceRandom | RaceSelectable, AI: AINormal, Handicap: 100},
			{Download: DownloadUnknown, Status: SlotClosed, Team: 2, Colour: 5, Race: RaceRandom, AI: AINormal, Handicap: 100},
			{Download: 100, Status: SlotOccupied, Computer: true, Team: 2, Colour: 6, Race: RaceNightElf | RaceSelectable, AI: AIInsane, Handicap: 100},
			{PID: 9, Download: 17, Status: SlotOccupied, Team: ObserverTeam, Colour: ObserverTeam, Race: RaceRandom | RaceSelectable, AI: AINormal, Handicap: 100},
		},
		RandomSeed:  0x01020304,
		Layout:      LayoutFixedSettings,
		PlayerSlots: 5,
	}}},
	{name: "SlotInfo/ladder", dir: FromHost, want: &SlotInfo{SlotTable{
		Slots: []Slot{
			{Download: DownloadUnknown, Status: SlotOpen, Team: 1, Colour: 4, Race: RaceRandom | RaceSelectable, AI: AINormal, Handicap: 100},
		},
		Layout:      LayoutLadder,
		PlayerSlots: 1,
	}}},
	{name: "SlotInfo/24", dir: FromHost, want: &SlotInfo{SlotTable{
		Slots: slices.Repeat([]Slot{
			{Download: DownloadUnknown, Team: ObserverTeam24, Colour: ObserverTeam24, Race: RaceRandom | RaceSelectable, AI: AINormal, Handicap: 100},
		}, MaxSlots),
		RandomSeed:  0xFFFFFFFF,
		Layout:      LayoutCustomForces,
		PlayerSlots: MaxSlots,
	}}},
}

// The 9 bytes of a slot, in the order of the reference.
func TestSlotRecord(t *testing.T) {
	s := Slot{PID: 1, Download: 2, Status: SlotOccupied, Computer: true, Team: 5, Colour: 6, Race: 7, AI: AIEasy, Handicap: 9}
	want := []byte{1, 2, 2, 1, 5, 6, 7, 0, 9}
	if got := s.AppendTo(nil); !bytes.Equal(got, want) || len(got) != SlotLen {
		t.Errorf("got % X, want % X", got, want)
	}
	c, got := read(want, OpSlotInfo), Slot{}
	if got.read(c); got != s || c.done() != nil {
		t.Errorf("got %+v, %v", got, c.err)
	}
}

func TestSlotTableRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		body   []byte
		want   error
		offset int
	}{
		{"25 slots", append([]byte{1 + 25*9 + 6, 0, 25}, make([]byte, 25*9+6)...), ErrCount, 3},
		{"more slots than bytes", []byte{0x10, 0, 12, 1, 100, 2, 0, 0, 0, 0x60, 1, 100, 0, 0, 0, 0, 0, 1}, ErrCount, 3},
		{"size past the end", []byte{0x11, 0, 1, 1, 100, 2, 0, 0, 0, 0x60, 1, 100, 0, 0, 0, 0, 0, 1}, ErrShort, 2},
		{"size before the end", []byte{0x0F, 0, 1, 1, 100, 2, 0, 0, 0, 0x60, 1, 100, 0, 0, 0, 0, 0, 1}, ErrLength, 18},
		{"status 3", []byte{0x10, 0, 1, 1, 100, 3, 0, 0, 0, 0x60, 1, 100, 0, 0, 0, 0, 0, 1}, ErrValue, 5},
		{"computer 2", []byte{0x10, 0, 1, 1, 100, 2, 2, 0, 0, 0x60, 1, 100, 0, 0, 0, 0, 0, 1}, ErrValue, 6},
	} {
		err := new(SlotInfo).Decode(tt.body)
		var e *DecodeError
		if !errors.As(err, &e) || !errors.Is(err, tt.want) || e.Offset != tt.offset || e.Op != OpSlotInfo {
			t.Errorf("%s: got %v, want %v at byte %d", tt.name, err, tt.want, tt.offset)
		}
	}
}
