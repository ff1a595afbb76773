package spectate

import (
	"fmt"
	"slices"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// Recording is a recorded game as packets for clients in one seat. Parts are only appended.
type Recording struct {
	Game    string // game name
	Version w3gs.Version
	Seat    uint8 // pid that all spectators get
	Check   w3gs.MapCheck

	table    w3gs.SlotTable
	others   []w3gs.PlayerInfo   // players introduced to spectators: all except that of the seat
	profiles []*w3gs.PlayerExtra // for 1.32 and later: skins of the others, then profiles of all players
	parts    []part
	frames   []byte
	time     time.Duration // game time of all parts
	turn     int           // index in parts of the last answered turn; -1 if there is none
	ended    bool          // the seat's player has left, or the rest cannot be sent to clients
	held     int           // number of parts that have a time from which they may be sent
	over     bool          // the recording is complete
}

// part is one or more packets that belong together.
type part struct {
	end      int           // end offset in frames
	at       time.Duration // game time before it
	from     time.Duration // earliest time to send it
	answered bool          // clients answer it with a 0x27
	hashed   bool          // hash is known
	hash     uint32
}

// NewRecording returns an empty Recording for a game recorded by w3host or by a player. seat is the pid of a slot.
func NewRecording(r *replay.Reader, seat uint8, version w3gs.Version, check w3gs.MapCheck) (*Recording, error) {
	start := &r.Start
	at := func(pid uint8) int {
		return slices.IndexFunc(start.Slots, func(s w3gs.Slot) bool { return s.PID == pid })
	}
	if seat == 0 || at(seat) < 0 {
		return nil, fmt.Errorf("no player in this game has number %d", seat)
	}
	t := &Recording{
		Game: w3gs.PlainLine(start.GameName), Version: version, Seat: seat, Check: check, turn: -1,
		table: w3gs.SlotTable{Slots: slices.Clone(start.Slots), RandomSeed: start.RandomSeed, Layout: start.Layout, PlayerSlots: start.StartSpots},
	}
	for _, p := range start.Players {
		if p.PID != seat && at(p.PID) >= 0 {
			t.others = append(t.others, w3gs.PlayerInfo{JoinCounter: joinCounter, PID: p.PID, Name: w3gs.PlainLine(p.Name), Extra: make([]byte, version.JoinExtra())})
		}
	}
	slices.SortStableFunc(t.others, func(a, b w3gs.PlayerInfo) int { return at(a.PID) - at(b.PID) })
	if version.Reforged() {
		t.readProfiles(start)
	}
	return t, nil
}

// readProfiles reads the skins and profiles of a recording, in the order in which spectators receive them. Players
// without any get default ones.
func (t *Recording) readProfiles(start *replay.Start) {
	find := func(plain *w3gs.PlayerExtra) *w3gs.PlayerExtra {
		for _, m := range start.Metas {
			e := &w3gs.PlayerExtra{Kind: w3gs.ExtraKind(m.Kind), Data: m.Data}
			if e.Kind == plain.Kind && e.PID() == plain.PID() && e.HasPlainTexts() {
				return e
			}
		}
		return plain
	}
	for _, p := range t.others {
		t.profiles = append(t.profiles, find(w3gs.NewSkins(p.PID)))
	}
	for _, p := range t.others {
		t.profiles = append(t.profiles, find(w3gs.NewProfile(p.PID, p.Name)))
	}
	for _, p := range start.Players {
		if p.PID == t.Seat {
			t.profiles = append(t.profiles, find(w3gs.NewProfile(p.PID, w3gs.PlainLine(p.Name))))
		}
	}
}

// joinCounter is the value for players without peer connections.
const joinCounter = 2

// Add appends a record of the game.
func (t *Recording) Add(rec *replay.Record) {
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

func (t *Recording) add(p w3gs.Packet, answered bool) {
	if t.ended {
		return
	}
	if answered {
		t.turn = len(t.parts)
	}
	t.frames = p.AppendTo(t.frames)
	t.parts = append(t.parts, part{end: len(t.frames), at: t.time, answered: answered})
}

// Hold delays the parts added since the last call by delay. Parts have no wall-clock times, but the last one
// is at most as old as now, and each earlier one is older by at least the difference in game time.
func (t *Recording) Hold(now, delay time.Duration) {
	for i := t.held; i < len(t.parts); i++ {
		t.parts[i].from = now + delay - (t.time - t.parts[i].at)
	}
	t.held = len(t.parts)
}

// frameHead is an upper bound for the bytes before the actions in a turn packet.
const frameHead = 16

// tooLong reports whether a turn does not fit into a packet.
func tooLong(rec *replay.Record) bool { return len(rec.Commands) > w3gs.MaxFrame-frameHead }

// turnOf returns the number, counted from 1, of the turn that a part completes.
func (t *Recording) turnOf(part int) (n int) {
	for _, p := range t.parts[:part+1] {
		if p.answered {
			n++
		}
	}
	return n
}

// End marks the recording as complete.
func (t *Recording) End() { t.over = true }

// frame returns the bytes of a part.
func (t *Recording) frame(i int) []byte { return t.frames[t.begin(i):t.parts[i].end] }

// begin returns the start offset of a part.
func (t *Recording) begin(i int) int {
	if i == 0 {
		return 0
	}
	return t.parts[i-1].end
}
