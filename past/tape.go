package past

import (
	"fmt"
	"slices"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// Tape is the record of a game in packets for clients that see it from a seat. Parts are only
// appended.
type Tape struct {
	Game    string // its name
	Version w3gs.Version
	Seat    uint8 // whose pid the newcomers get
	Check   w3gs.MapCheck

	table  w3gs.SlotTable
	others []w3gs.PlayerInfo // who is introduced: all but the seat's own
	parts  []part
	frames []byte
	time   time.Duration // game time of all parts
	turn   int           // index in parts of the last turn that is answered; -1: none
	ended  bool          // the seat's own player has left, or no client can be sent what follows
	held   int           // parts that have a time from which they may be shown
	over   bool          // no more will come
}

// part is a frame, or several that belong together.
type part struct {
	end      int           // in frames
	at       time.Duration // game time before it
	from     time.Duration // when it may be sent
	answered bool          // by a 0x27
	hashed   bool          // hash is known
	hash     uint32
}

// NewTape begins the record of a game that w3host or a player has recorded. The seat is a
// pid of a slot.
func NewTape(r *replay.Reader, seat uint8, version w3gs.Version, check w3gs.MapCheck) (*Tape, error) {
	start := &r.Start
	at := func(pid uint8) int {
		return slices.IndexFunc(start.Slots, func(s w3gs.Slot) bool { return s.PID == pid })
	}
	if seat == 0 || at(seat) < 0 {
		return nil, fmt.Errorf("nobody has number %d in this game", seat)
	}
	t := &Tape{
		Game: w3gs.PlainLine(start.GameName), Version: version, Seat: seat, Check: check, turn: -1,
		table: w3gs.SlotTable{Slots: slices.Clone(start.Slots), RandomSeed: start.RandomSeed, Layout: start.Layout, PlayerSlots: start.StartSpots},
	}
	for _, p := range start.Players {
		if p.PID != seat && at(p.PID) >= 0 {
			t.others = append(t.others, w3gs.PlayerInfo{JoinCounter: joinCounter, PID: p.PID, Name: w3gs.PlainLine(p.Name), Extra: make([]byte, version.JoinExtra())})
		}
	}
	slices.SortStableFunc(t.others, func(a, b w3gs.PlayerInfo) int { return at(a.PID) - at(b.PID) })
	return t, nil
}

// joinCounter is that of a player without peer connections.
const joinCounter = 2

// Add appends a record of the game.
func (t *Tape) Add(rec *replay.Record) {
	if tooLong(rec) {
		t.ended = true
	}
	switch rec.Kind {
	case replay.KindTurn:
		p := w3gs.IncomingAction{IncrementMillis: uint16(rec.Increment / time.Millisecond), Actions: rec.Commands}
		if t.add(&p, rec.Increment > 0); !t.ended {
			t.time += rec.Increment
		}
	case replay.KindTurnPart:
		t.add(&w3gs.IncomingAction2{Actions: rec.Commands}, false)
	case replay.KindLeave:
		if t.ended = t.ended || rec.Leave.PID == t.Seat; !t.ended {
			t.add(&w3gs.PlayerLeave{PID: rec.Leave.PID, Reason: rec.Leave.Result}, false)
		}
	case replay.KindChat:
		if c := rec.Chat; c.Flag == w3gs.ChatGame && c.Scope == w3gs.ScopeAll && len(c.Text) < w3gs.MaxChatLen {
			line := w3gs.Chat{To: []uint8{t.Seat}, From: c.PID, Flag: c.Flag, Text: w3gs.PlainLine(c.Text)}
			t.add(&w3gs.ChatFromHost{Chat: line}, false)
		}
	case replay.KindChecksum:
		if !t.ended && len(rec.Checksum) == 4 && t.turn >= 0 {
			p, b := &t.parts[t.turn], rec.Checksum
			p.hashed, p.hash = true, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24
		}
	}
}

func (t *Tape) add(p w3gs.Packet, answered bool) {
	if t.ended {
		return
	}
	if answered {
		t.turn = len(t.parts)
	}
	t.frames = p.AppendTo(t.frames)
	t.parts = append(t.parts, part{end: len(t.frames), at: t.time, answered: answered})
}

// Hold has the frames added since the last call shown only after a delay. Of the last of it is
// known that it is no older than now, of the rest by how much game time it came before: as
// much time has passed at the least.
func (t *Tape) Hold(now, delay time.Duration) {
	for i := t.held; i < len(t.parts); i++ {
		t.parts[i].from = now + delay - (t.time - t.parts[i].at)
	}
	t.held = len(t.parts)
}

// frameHead is more than stands before the actions of a turn.
const frameHead = 16

// tooLong reports whether a turn of a file fits no packet.
func tooLong(rec *replay.Record) bool { return len(rec.Commands) > w3gs.MaxFrame-frameHead }

// turnOf is the number of the turn, from 1, that a part completes.
func (t *Tape) turnOf(part int) (n int) {
	for _, p := range t.parts[:part+1] {
		if p.answered {
			n++
		}
	}
	return n
}

// End says that no more will be added.
func (t *Tape) End() { t.over = true }

// frame returns the bytes of a part.
func (t *Tape) frame(i int) []byte { return t.frames[t.begin(i):t.parts[i].end] }

// begin is where it begins.
func (t *Tape) begin(i int) int {
	if i == 0 {
		return 0
	}
	return t.parts[i-1].end
}
