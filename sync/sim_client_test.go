package gamesync

import (
	"bytes"
	"hash/crc32"
	"time"

	"w3host/w3gs"
)

// simClient is a game client as the protocol describes one from its own side.
// It shares no rule with the game: it decodes what it gets, complains of what
// a real client could not take, answers turns and gives up when no turn comes.
type simClient struct {
	sim      *sim
	pid      uint8
	observer bool
	limit    time.Duration // without a 0x0C it gives up

	loadAt   time.Duration
	salt     uint32 // its hashes are wrong by this …
	saltFrom int    // … from this turn on
	votes    bool
	extraAck int // acknowledges this turn twice

	up, down simLink
	frozen   []window // its computer does nothing
	cutAt    time.Duration
	closed   bool // the host has closed the connection
	gone     bool
	quitted  bool

	sent23   bool
	seen     w3gs.PIDs // 0x08
	playing  bool
	turns    int
	items    int
	leaves   int
	chain    uint32 // of turns, actions and leaves
	overflow []byte // actions of 0x48 packets
	inTurn   bool
	screen   w3gs.PIDs
	absent   w3gs.PIDs // 0x07
	lastTurn time.Duration
}

// receive takes bytes of the stream, whole packets as they were written.
func (c *simClient) receive(b []byte) {
	if c.gone {
		return
	}
	for len(b) > 0 {
		f, rest, err := w3gs.Next(b, 1460)
		if err != nil || f == nil {
			c.sim.fail("pid %d gets a broken frame % x: %v", c.pid, b, err)
		}
		c.packet(f)
		b = rest
	}
}

func (c *simClient) packet(f w3gs.Frame) {
	must := func(err error) {
		if err != nil {
			c.sim.fail("pid %d cannot decode % x: %v", c.pid, f, err)
		}
	}
	if c.inTurn && f.Op() != w3gs.OpIncomingAction && f.Op() != w3gs.OpIncomingAction2 {
		c.sim.fail("pid %d gets %v inside a turn", c.pid, f.Op())
	}
	if !c.playing && f.Op() != w3gs.OpGameLoaded {
		c.sim.fail("pid %d gets %v while loading", c.pid, f.Op())
	}
	switch f.Op() {
	case w3gs.OpGameLoaded:
		var p w3gs.GameLoaded
		must(p.Decode(f.Body()))
		if c.seen.Has(p.PID) {
			c.sim.fail("pid %d is told twice that %d has loaded", c.pid, p.PID)
		}
		c.seen |= w3gs.Only(p.PID)
		c.item('L', uint32(p.PID), nil)
		if c.seen == c.sim.humans && c.sent23 {
			c.playing, c.lastTurn = true, c.sim.now
		}
	case w3gs.OpIncomingAction2:
		var p w3gs.IncomingAction2
		must(p.Decode(f.Body()))
		c.overflow, c.inTurn = append(c.overflow, p.Actions...), true
	case w3gs.OpIncomingAction:
		var p w3gs.IncomingAction
		must(p.Decode(f.Body()))
		c.turn(p.IncrementMillis, p.Actions)
	case w3gs.OpPlayerLeave:
		var p w3gs.PlayerLeave
		must(p.Decode(f.Body()))
		c.leave(p.PID, p.Reason)
	case w3gs.OpStartLag:
		var p w3gs.StartLag
		must(p.Decode(f.Body()))
		c.lagStarts(p.Laggers)
	case w3gs.OpStopLag:
		var p w3gs.StopLag
		must(p.Decode(f.Body()))
		if !c.screen.Has(p.PID) {
			c.sim.fail("pid %d: %d stops lagging but was not on the screen", c.pid, p.PID)
		}
		c.screen &^= w3gs.Only(p.PID)
	default:
		c.sim.fail("pid %d gets %v", c.pid, f.Op())
	}
}

func (c *simClient) turn(increment uint16, actions []byte) {
	if c.screen != 0 {
		c.sim.fail("pid %d gets a 0x0C while the lag screen is up", c.pid)
	}
	c.lastTurn = c.sim.now
	if increment == 0 {
		if len(actions) > 0 || c.inTurn {
			c.sim.fail("pid %d gets actions in an empty turn", c.pid)
		}
		c.item('E', 0, nil)
		return
	}
	c.overflow = append(c.overflow, actions...)
	for pid := range w3gs.Actions(c.overflow) {
		if c.absent.Has(pid) {
			c.sim.fail("pid %d gets an action of %d, who has left", c.pid, pid)
		}
	}
	c.turns++
	if c.turns > len(c.sim.turns) {
		c.sim.fail("pid %d gets turn %d before it was recorded", c.pid, c.turns)
	}
	if want := c.sim.turns[c.turns-1]; want.increment != increment || want.sum != crc32.ChecksumIEEE(c.overflow) {
		c.sim.fail("pid %d sees another turn %d than the record", c.pid, c.turns)
	}
	c.item('T', uint32(increment), c.overflow)
	c.overflow, c.inTurn = c.overflow[:0], false

	hash := c.chain
	if c.salt != 0 && c.turns >= c.saltFrom {
		hash ^= c.salt
	}
	c.say(simPacket{kind: simAck, hash: hash})
	if c.turns == c.extraAck {
		c.say(simPacket{kind: simAck, hash: hash})
	}
}

func (c *simClient) leave(pid uint8, reason w3gs.LeaveReason) {
	if c.absent.Has(pid) || pid == c.pid || !c.sim.humans.Has(pid) {
		c.sim.fail("pid %d is told that %d left", c.pid, pid)
	}
	if c.screen.Has(pid) {
		c.sim.fail("pid %d: %d left but is still on the lag screen", c.pid, pid)
	}
	c.absent |= w3gs.Only(pid)
	if c.leaves >= len(c.sim.left) {
		c.sim.fail("pid %d sees a leave of %d before it was recorded", c.pid, pid)
	}
	if want := c.sim.left[c.leaves]; want.PID != pid || want.Reason != reason || want.Turn != uint32(c.turns) {
		c.sim.fail("pid %d sees %d leave (%v) at turn %d; the record says %+v", c.pid, pid, reason, c.turns, want)
	}
	c.leaves++
	c.item('G', uint32(pid)|uint32(reason)<<8, nil)
}

func (c *simClient) lagStarts(laggers []w3gs.Lagger) {
	if len(laggers) == 0 {
		c.sim.fail("pid %d gets an empty lag screen", c.pid)
	}
	for _, l := range laggers {
		if c.screen.Has(l.PID) || c.absent.Has(l.PID) {
			c.sim.fail("pid %d: %d cannot begin to lag", c.pid, l.PID)
		}
		c.screen |= w3gs.Only(l.PID)
	}
	if c.votes && !c.screen.Has(c.pid) {
		c.say(simPacket{kind: simVote})
	}
}

// item is one thing that all clients must see in the same place. The first
// client to see it says what it is.
func (c *simClient) item(kind byte, value uint32, data []byte) {
	head := []byte{kind, byte(value), byte(value >> 8), byte(value >> 16), byte(value >> 24)}
	if kind == 'T' || kind == 'G' {
		c.chain = crc32.Update(crc32.Update(c.chain, crc32.IEEETable, head), crc32.IEEETable, data)
	}
	it := simItem{kind, value, crc32.ChecksumIEEE(data)}
	if c.items == len(c.sim.order) {
		c.sim.order = append(c.sim.order, it)
	}
	if c.sim.order[c.items] != it {
		c.sim.fail("pid %d sees %c %d as item %d, others saw %c %d", c.pid, kind, value,
			c.items, c.sim.order[c.items].kind, c.sim.order[c.items].value)
	}
	c.items++
}

// act sends an action, or a burst of them.
func (c *simClient) act() {
	if !c.playing || c.gone {
		return
	}
	r := c.sim.rng
	n, size := 1, 1+r.IntN(40)
	switch r.IntN(60) {
	case 0:
		n, size = 20, 500
	case 1:
		size = w3gs.MaxActionLen
	}
	for range n {
		c.say(simPacket{kind: simAction, data: bytes.Repeat([]byte{byte(r.Uint32())}, size)})
	}
}

// watch gives up when no turn has come for too long. That is only right when
// nothing but the host can be at fault.
func (c *simClient) watch() {
	if c.gone || !c.playing || c.sim.now-c.lastTurn <= c.limit {
		return
	}
	if !c.troubled() {
		c.sim.fail("pid %d waited from %v until %v", c.pid, c.lastTurn, c.sim.now)
	}
	c.quit(w3gs.LeaveDisconnect)
}

// troubled reports whether something other than the rules kept turns away.
func (c *simClient) troubled() bool {
	since := c.lastTurn - 3*time.Second
	return c.sim.now >= c.cutAt || c.sim.sleptAt >= since ||
		overlaps(c.down.stalls, since, c.sim.now) || overlaps(c.up.stalls, since, c.sim.now) || overlaps(c.frozen, since, c.sim.now)
}

func (c *simClient) quit(reason w3gs.LeaveReason) {
	if !c.gone {
		c.say(simPacket{kind: simLeave, reason: reason})
		c.gone, c.quitted = true, true
	}
}

// side is how the client's hash of a turn differs from an honest one.
func (c *simClient) side(turn int) uint32 {
	switch {
	case c.extraAck > 0 && turn > c.extraAck: // its answers have moved up by one
		return 1000 + uint32(c.pid)
	case c.salt != 0 && turn >= c.saltFrom:
		return c.salt
	}
	return 0
}

// say sends a packet to the host.
func (c *simClient) say(p simPacket) {
	if c.gone {
		return
	}
	s := c.sim
	at := c.up.arrival(s)
	if at < c.cutAt {
		s.at(at, func() { s.fromClient(c, p) })
	}
}
