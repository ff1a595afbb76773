package lobby

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// A host that comes late to its ticks says every line of the count once, one at
// a time, and sends one ping, not all that were missed.
func TestLateTick(t *testing.T) {
	cfg := Defaults()
	cfg.Slots, cfg.Layout = testSlots("melee", 2, 0)
	cfg.Countdown.Lines = 2
	h := new(heard)
	l := New(cfg, h)
	l.Join(0, Join{Conn: 1, Req: w3gs.ReqJoin{Name: "Alice"}})
	l.Do(0, Start{Force: true}) // "2…"

	tick := func(now time.Duration) (chat, pings, started int) {
		*h = heard{}
		l.Tick(now)
		for _, p := range h.packets {
			switch p.Packet.(type) {
			case *w3gs.ChatFromHost:
				chat++
			case *w3gs.PingFromHost:
				pings++
			}
		}
		return chat, pings, h.started
	}
	if chat, pings, started := tick(time.Minute); chat != 1 || pings != 1 || started != 0 {
		t.Errorf("a minute late: %d lines, %d pings, %d starts; want 1, 1, 0", chat, pings, started)
	}
	if at, _ := l.Next(); at != time.Minute+time.Second {
		t.Errorf("the next line is due at %v, want a second later", at)
	}
	if chat, _, started := tick(time.Minute + 999*time.Millisecond); chat != 0 || started != 0 {
		t.Error("a tick before its time did something")
	}
	if _, _, started := tick(time.Minute + time.Second); started != 1 {
		t.Error("the game did not start")
	}
}

// New mends what a lobby cannot begin with.
func TestNewMendsTheTable(t *testing.T) {
	cfg := Defaults()
	cfg.Slots = []w3gs.Slot{
		{PID: 7, Status: w3gs.SlotOccupied, Team: 0, Colour: 3}, // somebody who cannot be there
		{Status: w3gs.SlotOpen, Team: 1, Colour: 3},             // the colour of the first
		{Status: w3gs.SlotOccupied, Computer: true, Team: 1, Colour: 99},
		{Status: w3gs.SlotOpen, Team: 12, Colour: 5}, // an observer with a colour
	}
	l := New(cfg, nil)
	want := []w3gs.Slot{
		{Status: w3gs.SlotOpen, Team: 0, Colour: 3},
		{Status: w3gs.SlotOpen, Team: 1, Colour: 0},
		{Status: w3gs.SlotOccupied, Computer: true, Team: 1, Colour: 1},
		{Status: w3gs.SlotOpen, Team: 12, Colour: 12},
	}
	table := l.SlotTable()
	for i, s := range table.Slots {
		if s != want[i] {
			t.Errorf("slot %d: %+v, want %+v", i+1, s, want[i])
		}
	}
	if table.PlayerSlots != 3 {
		t.Errorf("%d start spots, want 3", table.PlayerSlots)
	}
	if cfg.Slots[0].PID != 7 {
		t.Error("New wrote into the caller's slots")
	}
}

// A game of 1.29 has 24 pids and colours, and team 24 watches.
func TestTwentyFour(t *testing.T) {
	cfg := Defaults()
	cfg.Wire.MaxPID = 24
	for i := range 24 {
		cfg.Slots = append(cfg.Slots, w3gs.Slot{Download: 255, Team: uint8(i), Colour: uint8(i), Race: 0x60, Handicap: 100})
	}
	cfg.Slots[23].Team, cfg.Slots[23].Colour = 24, 24
	cfg.Observers = true
	h := new(heard)
	l := New(cfg, h)
	for i := range 24 {
		l.Join(0, Join{Conn: ConnID(i), Req: w3gs.ReqJoin{Name: string(rune('a' + i))}})
		if len(h.joined) != i+1 {
			t.Fatalf("player %d: %+v", i+1, h.joined)
		}
	}
	if p, _ := l.Player(1); p.Slot != 23 || !p.Observer || p.Colour != 24 {
		t.Errorf("the last joiner is %+v, want the observer with the virtual host's pid", p)
	}
	for _, fault := range faults(l) {
		t.Error(fault)
	}
}

// Packets belong to the host: later changes do not reach into them.
func TestPacketsAreOwned(t *testing.T) {
	cfg := Defaults()
	cfg.Slots, cfg.Layout = testSlots("melee", 2, 0)
	h := new(heard)
	l := New(cfg, h)
	l.Join(0, Join{Conn: 1, Req: w3gs.ReqJoin{Name: "Alice"}})
	packets := h.packets
	var frames [][]byte
	for _, p := range packets {
		frames = append(frames, p.AppendTo(nil))
	}
	l.Chat(0, Chat{PID: 2, Line: w3gs.Chat{From: 2, Flag: w3gs.ChatColour, Value: 9}})
	l.Do(0, Computer{Slot: 1})
	for i, p := range packets {
		if got := p.AppendTo(nil); string(got) != string(frames[i]) {
			t.Errorf("packet %d changed: % X, was % X", i, got, frames[i])
		}
	}
	if packets == nil {
		t.Fatal("no packets")
	}
}

// A computer that the map put there can be opened; it leaves no trace of one.
func TestOpenTheMapsComputer(t *testing.T) {
	cfg := Defaults()
	cfg.Layout = w3gs.LayoutCustomForces
	cfg.Slots = []w3gs.Slot{
		{Download: 100, Status: w3gs.SlotOccupied, Computer: true, Team: 1, Colour: 4, Race: w3gs.RaceOrc, AI: w3gs.AIInsane, Handicap: 80},
	}
	l := New(cfg, new(heard))
	l.Do(0, SetSlots{Slots: []int{0}})
	want := w3gs.Slot{Download: 255, Team: 1, Colour: 4, Race: w3gs.RaceOrc, AI: w3gs.AINormal, Handicap: 80}
	if got := l.SlotTable().Slots[0]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// heard is a sink that keeps some of what it hears.
type heard struct {
	packets []sentPacket
	joined  []uint8
	started int
}

type sentPacket struct {
	w3gs.Packet
	to w3gs.PIDs
}

func (h *heard) Send(to w3gs.PIDs, p w3gs.Packet)        { h.packets = append(h.packets, sentPacket{p, to}) }
func (h *heard) Joined(_ *Join, pid uint8, _ int)        { h.joined = append(h.joined, pid) }
func (h *heard) Started(Started)                         { h.started++ }
func (*heard) Rejected(*Join, w3gs.RejectReason, string) {}
func (*heard) NeedsMap(uint8, uint32)                    {}
func (*heard) Kicked(uint8, int, string, string)         {}
func (*heard) Left(uint8, w3gs.LeaveReason, bool)        {}
func (*heard) Said(Said)                                 {}
func (*heard) Flooded(uint8, time.Duration)              {}
func (*heard) Fact(Fact)                                 {}
func (*heard) Closed(string)                             {}
