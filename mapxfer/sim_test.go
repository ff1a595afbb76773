package mapxfer

import (
	"bytes"
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"w3host/w3gs"
)

// The simulation: a host with an out queue per player, a kernel send buffer, a
// line with a rate, a buffer and a delay, and a client with a habit of
// acknowledging. All in virtual time, so 20 s of silence cost nothing and the
// same seed gives the same run.

const hostPID = 1

type simEvent struct {
	at  time.Duration
	seq int
	do  func()
}

type simEvents []simEvent

func (h simEvents) Len() int { return len(h) }
func (h simEvents) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h simEvents) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *simEvents) Push(x any)   { *h = append(*h, x.(simEvent)) }
func (h *simEvents) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

type sim struct {
	t       *testing.T
	now     time.Duration
	events  simEvents
	seq     int
	s       *Scheduler
	cfg     Config
	parts   *Parts
	file    []byte
	clients map[uint8]*simClient
	log     []Effect // all but Send and Percent
	tickSeq int
	out     []Effect
}

func newSim(t *testing.T, cfg Config, size int) *sim {
	cfg.MaxWindow = maxWindow
	file := make([]byte, size)
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	for i := 0; i+8 <= len(file); i += 8 {
		v := rng.Uint64()
		for j := range 8 {
			file[i+j] = byte(v >> (8 * j))
		}
	}
	parts, err := NewParts(file)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Size = uint32(size)
	return &sim{t: t, s: New(cfg), cfg: cfg, parts: parts, file: file, clients: map[uint8]*simClient{}}
}

func (m *sim) at(d time.Duration, do func()) {
	m.seq++
	heap.Push(&m.events, simEvent{at: m.now + d, seq: m.seq, do: do})
}

// run plays until nothing is left to happen, or until the given time.
func (m *sim) run(until time.Duration) {
	for len(m.events) > 0 && m.events[0].at <= until {
		e := heap.Pop(&m.events).(simEvent)
		m.now = e.at
		e.do()
	}
}

// handle carries out effects and sets the timer, as the host does.
func (m *sim) handle(call func(out []Effect) []Effect) {
	for pid, c := range m.clients {
		if c.counted && !c.gone {
			m.s.Handle(m.now, Backlog{pid, c.queued}, nil)
		}
	}
	m.out = call(m.out[:0])
	for _, e := range m.out {
		c := m.clients[e.PID]
		switch e.Kind {
		case Begin:
			c.began++
		case Send:
			for off := e.Offset; off < e.End; off = m.parts.End(off) {
				c.queue = append(c.queue, simPart{off: off, end: m.parts.End(off), handed: m.now})
			}
			c.handed += int64(e.End - e.Offset)
			c.queued += int(e.End - e.Offset)
			if inflight := int64(e.End) - int64(m.s.byPID[e.PID].acked); inflight > int64(m.s.cfg.MaxWindow) {
				m.t.Fatalf("%v: %d bytes in flight to %d", m.now, inflight, e.PID)
			}
		case Percent:
			if e.Percent < c.percent && c.percent != unknownPercent {
				m.t.Errorf("%v: percent of %d went from %d to %d", m.now, e.PID, c.percent, e.Percent)
			}
			c.percent = e.Percent
		case Done:
			c.doneAt, c.done = m.now, e
			m.log = append(m.log, e)
		default:
			m.log = append(m.log, e)
		}
		if e.Kind == TooSlow || e.Kind == Cheat {
			m.leave(e.PID)
		}
	}
	for _, e := range m.out {
		if e.Kind == Send && m.clients[e.PID] != nil {
			c := m.clients[e.PID]
			c.flush()
			c.highQueue = max(c.highQueue, c.queued)
		}
	}
	at, ok := m.s.Next()
	if !ok {
		return
	}
	m.tickSeq++
	mine := m.tickSeq
	m.at(at-m.now, func() {
		if mine == m.tickSeq {
			m.handle(m.tick)
		}
	})
}

func (m *sim) leave(pid uint8) {
	m.clients[pid].gone = true
	m.at(0, func() { m.handle(func(out []Effect) []Effect { return m.s.Handle(m.now, Leave{pid}, out) }) })
}

type simPart struct {
	off, end uint32
	handed   time.Duration
}

// simLine has one buffer per player when fair, as a relay that reads its
// connections in turn; else one for all, as a router.
type simLine struct {
	m      *sim
	rate   int64
	delay  time.Duration // one way
	buffer int
	fair   bool
	queue  []simFrame
	busy   bool
	turn   uint8
	held   int
}

type simFrame struct {
	c *simClient
	p simPart
}

func (l *simLine) free(c *simClient) bool {
	if !l.fair {
		return l.held < l.buffer
	}
	return c.lineHeld < l.buffer
}

func (l *simLine) push(c *simClient, p simPart) {
	l.queue = append(l.queue, simFrame{c, p})
	n := int(p.end - p.off)
	l.held += n
	c.lineHeld += n
	l.next()
}

func (l *simLine) next() {
	if l.busy || len(l.queue) == 0 {
		return
	}
	pick := 0
	if l.fair {
		best := 256
		for i, f := range l.queue {
			if d := int(f.c.pid - l.turn - 1); d < best { // uint8 wraps: the next in turn
				pick, best = i, d
			}
		}
	}
	f := l.queue[pick]
	l.queue = append(l.queue[:pick], l.queue[pick+1:]...)
	l.turn = f.c.pid
	l.busy = true
	n := int(f.p.end - f.p.off)
	took := time.Duration(float64(n+HeaderLen) / float64(l.rate) * float64(time.Second))
	l.m.at(took, func() {
		l.busy = false
		l.held -= n
		f.c.lineHeld -= n
		l.m.at(l.delay, func() { f.c.arrive(f.p) })
		for _, pid := range l.m.pids() {
			l.m.clients[pid].flush()
		}
		l.next()
	})
}

func (m *sim) pids() []uint8 {
	var pids []uint8
	for pid := range 256 {
		if m.clients[uint8(pid)] != nil {
			pids = append(pids, uint8(pid))
		}
	}
	return pids
}

// simClient is one player: his side of the host, his line, his habits.
type simClient struct {
	m    *sim
	pid  uint8
	line *simLine

	// Habits.
	every     int           // acknowledge each such many parts
	late      time.Duration // acknowledge so much later
	timer     time.Duration // acknowledge by the clock instead
	nak       float64       // share of parts to refuse
	sleepAt   uint32        // stop reading at this byte …
	sleepFor  time.Duration // … for so long
	leaveAt   uint32
	flag3     bool // acknowledge with 0x42 instead of 0x44
	noisy     bool // refuse each part out of order too
	rng       *rand.Rand
	recvSpace int
	kernSpace int
	counted   bool // the host reports the backlog

	// Host side.
	queue     []simPart
	queued    int
	highQueue int
	handed    int64
	kern      []simPart
	kernHeld  int
	lineHeld  int
	net       int // on the line or unread

	// Client side.
	unread    []simPart
	asleep    bool
	slept     bool
	held      []byte
	got       int
	timing    bool
	began     int
	percent   uint8
	gone      bool
	doneAt    time.Duration
	done      Effect
	startedAt time.Duration
	delays    []time.Duration
	arrivals  []arrival
}

type arrival struct {
	at time.Duration
	n  int
}

func (m *sim) line(rate int64, delay time.Duration) *simLine {
	return &simLine{m: m, rate: rate, delay: delay, buffer: 256 << 10}
}

func (m *sim) client(pid uint8, l *simLine, set func(c *simClient)) *simClient {
	c := &simClient{
		m: m, pid: pid, line: l, every: 1, percent: unknownPercent, recvSpace: 1 << 20,
		kernSpace: 128 << 10, rng: rand.New(rand.NewPCG(uint64(pid), 7)), counted: true,
	}
	if set != nil {
		set(c)
	}
	m.clients[pid] = c
	return c
}

// join reports what the client holds, after start.
func (c *simClient) join(start time.Duration, held int) *simClient {
	c.held = append(c.held[:0], c.m.file[:held]...)
	c.m.at(start, func() {
		c.startedAt = c.m.now
		c.m.handle(func(out []Effect) []Effect {
			return c.m.s.Handle(c.m.now, Report{c.pid, w3gs.MapSize{Flag: w3gs.MapHave, Size: uint32(held)}}, out)
		})
	})
	return c
}

// flush moves parts from the out queue into the kernel and from there to the line.
func (c *simClient) flush() {
	if c.gone {
		return
	}
	for {
		moved := false
		for len(c.queue) > 0 && c.kernHeld < c.kernSpace {
			p := c.queue[0]
			c.queue = c.queue[1:]
			c.queued -= int(p.end - p.off)
			c.kern = append(c.kern, p)
			c.kernHeld += int(p.end - p.off)
			moved = true
		}
		for len(c.kern) > 0 && c.net < c.recvSpace && c.line.free(c) {
			p := c.kern[0]
			c.kern = c.kern[1:]
			c.kernHeld -= int(p.end - p.off)
			c.net += int(p.end - p.off)
			c.line.push(c, p)
			moved = true
		}
		if !moved {
			return
		}
	}
}

func (c *simClient) arrive(p simPart) {
	c.delays = append(c.delays, c.m.now-p.handed)
	c.arrivals = append(c.arrivals, arrival{c.m.now, int(p.end - p.off)})
	c.unread = append(c.unread, p)
	c.read()
}

func (c *simClient) read() {
	for len(c.unread) > 0 && !c.asleep && !c.gone {
		p := c.unread[0]
		c.unread = c.unread[1:]
		c.net -= int(p.end - p.off)
		c.take(p)
		if c.sleepFor > 0 && !c.slept && len(c.held) >= int(c.sleepAt) {
			c.asleep, c.slept = true, true
			c.m.at(c.sleepFor, func() {
				c.asleep = false
				c.read()
				c.flush()
			})
		}
		if c.leaveAt > 0 && len(c.held) >= int(c.leaveAt) {
			c.m.leave(c.pid)
			return
		}
	}
	c.flush()
}

// take reads one 0x43 as it is on the wire.
func (c *simClient) take(p simPart) {
	frame := w3gs.Frame(c.m.parts.AppendFrame(nil, p.off, c.pid, hostPID))
	var part w3gs.MapPart
	if err := part.Decode(frame.Body()); err != nil {
		c.m.t.Fatalf("part at %d: %v", p.off, err)
	}
	if part.To != c.pid || part.From != hostPID || !part.Intact() {
		c.m.t.Fatalf("part at %d: to %d from %d intact %v", p.off, part.To, part.From, part.Intact())
	}
	switch {
	case c.nak > 0 && int(part.Offset) == len(c.held) && c.rng.Float64() < c.nak,
		c.noisy && int(part.Offset) > len(c.held):
		c.send(func(out []Effect) []Effect {
			return c.m.s.Handle(c.m.now, Refuse{c.pid, w3gs.MapPartNotOK{To: hostPID, From: c.pid}}, out)
		})
		return
	case int(part.Offset) != len(c.held):
		return // out of order behind a refused part
	}
	c.held = append(c.held, part.Data...)
	c.got++
	whole := len(c.held) == len(c.m.file)
	if c.timer > 0 {
		if !c.timing && !whole {
			c.timing = true
			c.m.at(c.timer, func() { c.timing = false; c.ack() })
		}
	} else if c.got%c.every == 0 {
		c.ack()
	}
	if whole && (c.timer > 0 || c.got%c.every != 0) {
		c.ack()
	}
}

func (c *simClient) ack() {
	held := uint32(len(c.held))
	if c.flag3 {
		c.send(func(out []Effect) []Effect {
			return c.m.s.Handle(c.m.now, Report{c.pid, w3gs.MapSize{Flag: w3gs.MapDownloading, Size: held}}, out)
		})
		return
	}
	c.send(func(out []Effect) []Effect {
		return c.m.s.Handle(c.m.now, Ack{c.pid, w3gs.MapPartOK{To: hostPID, From: c.pid, Size: held}}, out)
	})
}

// send takes a packet of the client to the host.
func (c *simClient) send(call func(out []Effect) []Effect) {
	c.m.at(c.late+c.line.delay, func() {
		if c.gone {
			return
		}
		c.m.handle(call)
	})
}

// whole fails unless the client holds the file and was told so once.
func (c *simClient) whole() {
	c.m.t.Helper()
	if !bytes.Equal(c.held, c.m.file) || c.done.Kind != Done || c.percent != 100 {
		c.m.t.Fatalf("player %d: %d of %d bytes, %d %%, done %v at %v", c.pid, len(c.held), len(c.m.file),
			c.percent, c.done.Kind, c.m.now)
	}
}

// bytesBetween is what arrived from one time to another.
func (c *simClient) bytesBetween(from, to time.Duration) int {
	n := 0
	for _, a := range c.arrivals {
		if a.at >= from && a.at < to {
			n += a.n
		}
	}
	return n
}

// speed is the rate from the join to the end.
func (c *simClient) speed() float64 {
	return float64(c.done.Bytes) / (c.doneAt - c.startedAt).Seconds()
}
