package bots

import (
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// rig is one bot without a connection: packets and times go in by hand.
type rig struct {
	*player
	t    *testing.T
	time time.Duration
}

// newRig makes a bot that has sent its 0x1E.
func newRig(t *testing.T, opts Options) *rig {
	t.Helper()
	if opts.Players == 0 {
		opts.Players = 1
	}
	opts, err := opts.normal()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{opts: opts, log: opts.Log, base: time.Now(), started: make(chan struct{}, 1)}
	g := newGame(r, 1)
	p := &rig{player: g.players[0], t: t, time: time.Second}
	p.begin(p.time, lobby{id: 1, key: 2})
	return p
}

// hear gives the bot packets of the host, at the rig's time.
func (r *rig) hear(packets ...w3gs.Packet) {
	r.t.Helper()
	var b []byte
	for _, p := range packets {
		b = p.AppendTo(b)
	}
	r.hearRaw(b)
}

func (r *rig) hearRaw(b []byte) {
	for len(b) > 0 {
		n := copy(r.stream.Free(), b)
		r.stream.Commit(n)
		b = b[n:]
		r.receive(r.time)
	}
}

// pass lets time go by, alarm by alarm.
func (r *rig) pass(d time.Duration) {
	end := r.time + d
	for {
		due := r.due()
		if due > end {
			break
		}
		r.time = max(r.time, due)
		r.tick(r.time)
	}
	r.time = end
}

// said takes what the bot has written since the last call.
func (r *rig) said() []w3gs.Packet {
	r.t.Helper()
	var out []w3gs.Packet
	rest := r.out
	for len(rest) > 0 {
		f, left, err := w3gs.Next(rest, w3gs.MaxFrame)
		if f == nil || err != nil {
			r.t.Fatalf("the bot wrote % x: %v", rest, err)
		}
		p, err := w3gs.Decode(append(w3gs.Frame(nil), f...), w3gs.FromClient)
		if err != nil {
			r.t.Fatalf("the bot wrote % x: %v", f, err)
		}
		out, rest = append(out, p), left
	}
	r.out = nil
	return out
}

// only wants exactly one packet of a kind to have been written.
func only[T w3gs.Packet](r *rig) T {
	r.t.Helper()
	var found []T
	all := r.said()
	for _, p := range all {
		if q, ok := p.(T); ok {
			found = append(found, q)
		}
	}
	if len(found) != 1 {
		r.t.Fatalf("want one %T, the bot wrote %v", *new(T), all)
	}
	return found[0]
}

// fine fails when the bot has complained.
func (r *rig) fine() {
	r.t.Helper()
	for _, f := range r.g.run.faults {
		r.t.Errorf("fault: %v", f)
	}
}

// complains wants a fault with these words.
func (r *rig) complains(words string) {
	r.t.Helper()
	for _, f := range r.g.run.faults {
		if strings.Contains(f.String(), words) {
			return
		}
	}
	r.t.Errorf("no fault says %q, only %v", words, r.g.run.faults)
}

// The lobby of the rigs: the bot is player 1, players 2 and 3 are others, 12 is
// the virtual host.
func (r *rig) table() w3gs.SlotTable {
	t := w3gs.SlotTable{RandomSeed: 7, PlayerSlots: 4}
	for i := range 4 {
		s := w3gs.Slot{Team: uint8(i), Colour: uint8(i), Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100}
		if i < 3 {
			s.PID, s.Status = uint8(i+1), w3gs.SlotOccupied
		}
		t.Slots = append(t.Slots, s)
	}
	return t
}

func (r *rig) toLobby() *rig {
	r.t.Helper()
	r.hear(
		&w3gs.SlotInfoJoin{SlotTable: r.table(), PID: 1},
		&w3gs.PlayerInfo{PID: 12, Name: "host", Extra: []byte{0}},
		&w3gs.PlayerInfo{PID: 2, Name: "two", Extra: []byte{0}},
		&w3gs.PlayerInfo{PID: 3, Name: "three", Extra: []byte{0}},
		&w3gs.MapCheck{Path: `Maps\x.w3x`, Size: 3000, CRC32: crcOf(rigMap), HasSHA1: true},
		&w3gs.SlotInfo{SlotTable: r.table()},
	)
	return r
}

var rigMap = []byte(strings.Repeat("map", 1000))

func (r *rig) toLoading() *rig {
	r.t.Helper()
	r.toLobby().hear(&w3gs.CountdownStart{}, &w3gs.PlayerLeave{PID: 12, Reason: w3gs.LeaveLobby}, &w3gs.CountdownEnd{})
	return r
}

func (r *rig) toLoaded() *rig {
	r.t.Helper()
	r.toLoading().pass(2 * time.Second)
	r.hear(&w3gs.GameLoaded{PID: 1}, &w3gs.GameLoaded{PID: 2}, &w3gs.GameLoaded{PID: 3})
	return r
}

// toGame plays the first turn.
func (r *rig) toGame() *rig {
	r.t.Helper()
	r.toLoaded().hear(turn())
	r.said()
	return r
}

func turn(actions ...[]byte) *w3gs.IncomingAction {
	var b []byte
	for _, a := range actions {
		b = append(b, a...)
	}
	return &w3gs.IncomingAction{IncrementMillis: 100, Actions: b}
}

func action(pid uint8, data ...byte) []byte { return w3gs.AppendAction(nil, pid, data) }
