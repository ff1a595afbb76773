package game

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
	"time"

	"w3host/protocol/w3gs"
)

// crowd plays one game at random: it is the clients, the host and the operator.
// It answers what comes out of the machine, after a while.
type crowd struct {
	r           *rand.Rand
	now         time.Duration
	lastID      LinkID
	players     map[LinkID]*actor
	order       []LinkID // of players, so that the same seed plays the same game
	bySeat      map[uint8]*actor
	pending     []later // by time
	ready       []Input // at once
	err         error   // what a client or proxy may not see
	conns       map[LinkID]*conn
	forfeited   map[*wire]bool
	history     []uint32 // of the game, as the client saw it who saw most
	machineOver bool
	end         time.Duration // the host stops, or all leave
	jitter      time.Duration // the host's timer is late by up to this
	armed, fire time.Duration // what the timer waits for, and when it fires
	reconnect   Reconnect
	mapSize     uint32
	playing     bool
	patient     bool // nobody leaves before the start, so that games do start
}

// actor is one client.
type actor struct {
	link  LinkID
	pid   uint8
	name  string
	has   uint32 // bytes of the map
	delay time.Duration
	turns uint32
	crc   uint32 // its picture of the game
	liar  bool
	gone  bool
	said  time.Duration // nothing is said before what was said then
	wire  *wire         // nil: no proxy
	join  Input
	empty uint32 // empty 0x0C since the last turn
	parts []byte // of 0x48 so far
	plays bool
	seen  []uint32

	loads    time.Duration // how long it takes to load
	loaded   bool
	stalls   []window // nothing comes from it
	frozen   []window // only its pongs do
	salt     uint32   // its hashes are wrong by this …
	saltFrom uint32   // … from this turn on
	extraAck uint32   // it acknowledges this turn twice
}

// window is a time in which something stands still.
type window struct{ from, to time.Duration }

const never = time.Duration(math.MaxInt64)

// beyond is when what would come at a time comes.
func beyond(windows []window, at time.Duration) time.Duration {
	for _, w := range windows {
		if at >= w.from && at < w.to {
			at = w.to
		}
	}
	return at
}

// later is an input that will come.
type later struct {
	at time.Duration
	in Input
	do func() // instead of in
}

// after puts an input off. Inputs of one link keep their order.
func (c *crowd) after(d time.Duration, in Input) {
	c.put(later{at: c.now + d.Truncate(clock), in: in})
}

func (c *crowd) put(l later) {
	in := &l.in
	i := len(c.pending)
	for i > 0 && c.pending[i-1].at > l.at && (in.Link == 0 || c.pending[i-1].in.Link != in.Link) {
		i--
	}
	if i > 0 && c.pending[i-1].at > l.at {
		l.at = c.pending[i-1].at
	}
	c.pending = append(c.pending, later{})
	copy(c.pending[i+1:], c.pending[i:])
	c.pending[i] = l
}

func (c *crowd) say(a *actor, p w3gs.Packet) {
	at := beyond(a.stalls, c.now+a.delay.Truncate(clock))
	_, pong := p.(*w3gs.PongToHost)
	if !pong {
		at = beyond(a.frozen, at)
	}
	if at == never {
		return
	}
	if a.wire != nil {
		frame := p.AppendTo(nil)
		at = max(at, a.said)
		a.said = at
		c.put(later{at: at, do: func() { a.wire.fromClient(c, frame) }})
		return
	}
	in := Input{Kind: Packet, Link: a.link, Packet: p}
	switch p := p.(type) {
	case *w3gs.OutgoingAction:
		in = Input{Kind: Action, Link: a.link, Data: p.Data}
	case *w3gs.Keepalive:
		in = Input{Kind: Keepalive, Link: a.link, Sum: p.Checksum}
	}
	if pong { // a client answers it beside the game
		c.put(later{at: at, do: func() { c.ready = append(c.ready, in) }})
		return
	}
	c.put(later{at: at, in: in})
}

// timer is when the host's timer fires for a deadline.
func (c *crowd) timer(due time.Duration, ok bool) (time.Duration, bool) {
	if ok && due != c.armed {
		c.armed, c.fire = due, (due + c.upTo(c.jitter) + clock - 1).Truncate(clock)
	}
	return c.fire, ok
}

// chance is true once in n.
func (c *crowd) chance(n int) bool { return c.r.IntN(n) == 0 }

// upTo is a random time below d.
func (c *crowd) upTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(c.r.Int64N(int64(d))).Truncate(clock)
}

// watch lets the clients see what came out, and think of answers.
func (c *crowd) watch(out *Out) {
	for i := range out.Ops {
		op := &out.Ops[i]
		c.carryOut(op)
		switch op.Kind {
		case Seat:
			a := c.players[op.Link]
			if a == nil {
				continue // came back
			}
			a.pid = op.PID
			c.bySeat[op.PID] = a
			if !c.playing {
				c.say(a, &w3gs.MapSize{Flag: w3gs.MapHave, Size: a.has})
			}
		case Close, Cut:
			if a := c.players[op.Link]; a != nil {
				a.gone = a.wire == nil || !c.playing
				if op.Kind == Cut && a.wire == nil {
					c.after(a.delay, Input{Kind: Lost, Link: a.link, Why: "cut"})
				}
			}
		case Parts:
			if a := c.bySeat[op.PID]; a != nil && !a.gone && op.At <= a.has {
				a.has = max(a.has, op.End)
				c.say(a, &w3gs.MapPartOK{To: op.From, From: a.pid, Size: a.has})
			}
		case Play:
			c.playing = true
			for _, a := range c.seated() {
				if a.wire != nil && a.wire.offered {
					a.wire.line.Keep(64 << 10)
				}
				if a.wire == nil {
					c.load(a)
				}
			}
		case Send, SendLast:
			for pid := range op.To.All() {
				if a := c.bySeat[pid]; a == nil || a.gone {
				} else if a.wire != nil {
					c.hostSends(a.wire, op.Frame)
				} else {
					c.receive(a, op.Frame)
				}
			}
		}
	}
}

// seated walks the actors that have a seat, in the order of their pids.
func (c *crowd) seated() func(yield func(uint8, *actor) bool) {
	return func(yield func(uint8, *actor) bool) {
		for pid := range uint8(w3gs.MaxPID + 1) {
			if a := c.bySeat[pid]; a != nil && !a.gone && !yield(pid, a) {
				return
			}
		}
	}
}

func (c *crowd) receive(a *actor, frames []byte) {
	for len(frames) > 0 {
		frame, rest, err := w3gs.Next(frames, w3gs.MaxFrame)
		if err != nil || frame == nil {
			return // the referee says so
		}
		frames = rest
		switch frame.Op() {
		case w3gs.OpPingFromHost:
			p := new(w3gs.PingFromHost)
			_ = p.Decode(frame.Body())
			c.say(a, &w3gs.PongToHost{Tick: p.Tick})
		case w3gs.OpIncomingAction:
			p := new(w3gs.IncomingAction)
			_ = p.Decode(frame.Body())
			if p.IncrementMillis == 0 {
				a.empty++
				break
			}
			c.saw(a, crc32.Update(uint32(p.IncrementMillis)<<8+a.empty, crc32.IEEETable, append(a.parts, p.Actions...)))
			a.parts, a.empty = nil, 0
			a.crc = crc32.Update(a.crc, crc32.IEEETable, p.Actions)
			a.turns++
			sum := a.crc
			if a.liar && c.r.IntN(20) == 0 {
				sum++
			}
			if a.salt != 0 && a.turns >= a.saltFrom {
				sum ^= a.salt
			}
			c.say(a, &w3gs.Keepalive{Checksum: sum})
			if a.turns == a.extraAck {
				c.say(a, &w3gs.Keepalive{Checksum: sum})
			}
		case w3gs.OpIncomingAction2:
			p := new(w3gs.IncomingAction2)
			_ = p.Decode(frame.Body())
			a.crc = crc32.Update(a.crc, crc32.IEEETable, p.Actions)
			a.parts = append(a.parts, p.Actions...)
		case w3gs.OpCountdownEnd:
			if a.plays = true; a.wire != nil {
				c.load(a) // not before its 0x0B is there
			}
		case w3gs.OpPlayerLeave:
			p := new(w3gs.PlayerLeave)
			_ = p.Decode(frame.Body())
			a.crc = crc32.Update(a.crc, crc32.IEEETable, frame.Body())
			if a.plays {
				c.saw(a, leaveMark(p.PID, p.Reason))
			}
		case w3gs.OpStartLag:
			if c.r.IntN(3) == 0 {
				c.say(a, &w3gs.DropReq{})
			}
		}
	}
}
