package mapxfer

import (
	"bytes"
	"container/heap"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// The simulation: a host with an out queue per player, a kernel that holds what
// it may not send yet, a line with a rate, a buffer, a delay and losses, the
// acknowledgements of TCP, and a client with a habit of acknowledging. All in
// virtual time, so 20 s of silence cost nothing and the same seed gives the same
// run.

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
	removed map[uint8]Why
	said    []string // all but Begin, Parts and Percent
	unsent  []uint8  // who has got parts in this call
	tickSeq int
	lines   uint8
}

func newSim(t *testing.T, cfg Config, size int) *sim {
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
	cfg.MaxWindow = maxWindow
	m := &sim{t: t, cfg: cfg, parts: parts, file: file, clients: map[uint8]*simClient{}, removed: map[uint8]Why{}}
	m.s = New(cfg, m)
	return m
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

func (m *sim) Begin(pid uint8) {
	c := m.clients[pid]
	c.began++
	c.beganAt = m.now
}

func (m *sim) Parts(pid uint8, off, end uint32) {
	c := m.clients[pid]
	c.handed += int64(end - off)
	c.queued += int(end - off)
	for ; off < end; off = m.parts.End(off) {
		c.queue = append(c.queue, simPart{off: off, end: m.parts.End(off), handed: m.now})
	}
	c.keepTalking()
	if inflight := int64(end) - int64(m.s.byPID[pid].acked); inflight > int64(m.s.cfg.MaxWindow) {
		m.t.Fatalf("%v: %d bytes in flight to %d", m.now, inflight, pid)
	}
	m.unsent = append(m.unsent, pid)
}

func (m *sim) Percent(pid, percent uint8) {
	c := m.clients[pid]
	if percent < c.percent && c.percent != unknownPercent {
		m.t.Errorf("%v: percent of %d went from %d to %d", m.now, pid, c.percent, percent)
	}
	c.percent = percent
}

func (m *sim) Ended(pid uint8, d Download) {
	m.said = append(m.said, "ended")
	if d.Why == 0 {
		c := m.clients[pid]
		c.doneAt, c.done = m.now, &d
	}
}

func (m *sim) Remove(pid uint8, why Why) {
	m.removed[pid], m.said = why, append(m.said, why.String())
	if why != WhyWaited && why != WhyDeclined {
		m.leave(pid)
	}
}

func (m *sim) Queued(uint8, int)        { m.said = append(m.said, "queued") }
func (m *sim) Refused(_ uint8, why Why) { m.said = append(m.said, why.String()) }
func (m *sim) Ignored(_ uint8, why Why) { m.said = append(m.said, why.String()) }

// handle makes a call of the scheduler and sets the timer, as the host does.
func (m *sim) handle(call func()) {
	m.unsent = m.unsent[:0]
	call()
	for _, pid := range m.unsent {
		c := m.clients[pid]
		c.flush()
		c.highQueue = max(c.highQueue, c.queued)
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

func (m *sim) tick() {
	for pid := range uint8(64) {
		if c := m.clients[pid]; c != nil {
			c.look()
		}
	}
	m.s.Tick(m.now)
}

func (m *sim) leave(pid uint8) {
	m.clients[pid].gone = true
	m.at(0, func() { m.handle(func() { m.s.Leave(m.now, pid) }) })
}

// simPart is a part of the map on its way, or a packet that overtakes parts.
type simPart struct {
	off, end uint32
	handed   time.Duration
	chat     bool
	seq      int           // in the TCP stream
	sent     time.Duration // to the line; 0 when it was sent again
}

// len is a part's length on the line.
func (p simPart) len() int {
	if p.chat {
		return 60
	}
	return int(p.end-p.off) + HeaderLen
}

// simLine has one queue per player when fair, as some routers; else one for all.
type simLine struct {
	m      *sim
	addr   netip.Addr // of its players
	rate   int64
	delay  time.Duration // one way
	buffer int
	fair   bool
	loss   float64
	rng    *rand.Rand
	queue  []simFrame
	busy   bool
	turn   uint8
	held   int
}

type simFrame struct {
	c *simClient
	p simPart
}

// push puts a packet on the line. What is lost is sent again a round trip later.
func (l *simLine) push(c *simClient, p simPart) {
	if l.held+p.len() > l.buffer || l.loss > 0 && l.rng.Float64() < l.loss {
		p.sent = 0
		l.m.at(max(c.srtt, 2*l.delay), func() { l.push(c, p) })
		return
	}
	l.queue = append(l.queue, simFrame{c, p})
	l.held += p.len()
	l.next()
}

// takes is how long n bytes are on their way onto the line.
func (l *simLine) takes(n int) time.Duration {
	return time.Duration(float64(n) / float64(l.rate) * float64(time.Second))
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
	if pick == 0 {
		l.queue = l.queue[1:]
	} else {
		l.queue = append(l.queue[:pick], l.queue[pick+1:]...)
	}
	l.turn = f.c.pid
	l.busy = true
	l.m.at(l.takes(f.p.len()), func() {
		l.busy = false
		l.held -= f.p.len()
		l.m.at(l.delay, func() { f.c.arrive(f.p) })
		l.next()
	})
}

// simClient is one player: the host's side, the line, the client and its habits.
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
	cwnd      int        // of its kernel at the host
	lazy      bool       // its kernel acknowledges every second segment, or after 40 ms
	blind     bool       // the host's system tells nothing of the connection
	addr      netip.Addr // whose line it is

	// Host side.
	queue     []simPart
	queued    int
	highQueue int
	handed    int64
	kern      []simPart
	kernHeld  int
	unacked   int // kernHeld and what TCP has not acknowledged
	net       int // on the line or unread
	seq       int
	srtt      time.Duration
	minRTT    time.Duration
	talking   bool

	// Client side.
	unread    []simPart
	early     map[int]simPart // behind one that is missing
	expect    int
	unsaid    []simPart // acknowledgements that TCP holds back
	asleep    bool
	slept     bool
	held      int
	got       int
	timing    bool
	began     int
	beganAt   time.Duration
	percent   uint8
	gone      bool
	doneAt    time.Duration
	done      *Download
	startedAt time.Duration
	delays    []time.Duration // of chat, from the host's rules to the client's
	arrivals  []arrival
}

type arrival struct {
	at time.Duration
	n  int
}

func (m *sim) line(rate int64, delay time.Duration) *simLine {
	m.lines++
	return &simLine{m: m, addr: netip.AddrFrom4([4]byte{10, 0, 0, m.lines}), rate: rate, delay: delay, buffer: int(max(rate/4, 256<<10)), rng: rand.New(rand.NewPCG(3, 5))}
}

func (m *sim) client(pid uint8, l *simLine, set func(c *simClient)) *simClient {
	c := &simClient{
		m: m, pid: pid, line: l, every: 1, percent: unknownPercent, recvSpace: 4 << 20,
		cwnd: 1 << 30, early: map[int]simPart{}, rng: rand.New(rand.NewPCG(uint64(pid), 7)), addr: l.addr,
	}
	if set != nil {
		set(c)
	}
	m.clients[pid] = c
	return c
}

// join reports what the client holds, after start. It has connected before.
func (c *simClient) join(start time.Duration, held int) *simClient {
	c.held = held
	c.m.at(start, func() {
		c.startedAt = c.m.now
		if !c.blind { // the handshake waits behind what is on the line
			c.srtt = 2*c.line.delay + c.line.takes(c.line.held)
			c.minRTT = c.srtt
		}
		c.look()
		c.m.handle(func() { c.m.s.Report(c.m.now, c.pid, w3gs.MapSize{Flag: w3gs.MapHave, Size: uint32(held)}) })
	})
	return c
}

// look tells the scheduler what the host's system knows.
func (c *simClient) look() {
	if !c.gone && c.m.now >= c.startedAt {
		c.m.s.Measured(c.m.now, c.pid, Figures{Addr: c.addr, Queued: c.queued, Unacked: c.unacked, RTT: c.srtt, MinRTT: c.minRTT})
	}
}

// flush moves parts from the out queue into the kernel and from there to the line.
func (c *simClient) flush() {
	if c.gone {
		return
	}
	for moved := true; moved; {
		moved = false
		for len(c.queue) > 0 && c.kernHeld < 16<<10 {
			p := c.queue[0]
			c.queue = c.queue[1:]
			c.queued -= int(p.end - p.off)
			c.write(p)
			moved = true
		}
		for len(c.kern) > 0 && c.net < c.recvSpace && c.unacked-c.kernHeld < c.cwnd {
			p := c.kern[0]
			c.kern = c.kern[1:]
			c.kernHeld -= p.len()
			c.net += p.len()
			p.sent = c.m.now
			c.line.push(c, p)
			moved = true
		}
	}
}

func (c *simClient) write(p simPart) {
	c.seq++
	p.seq = c.seq
	c.kern = append(c.kern, p)
	c.kernHeld += p.len()
	c.unacked += p.len()
}

// keepTalking has somebody say a line to the client now and then.
func (c *simClient) keepTalking() {
	if c.talking {
		return
	}
	c.talking = true
	var say func()
	say = func() {
		if c.talking = !c.gone && c.done == nil; c.talking {
			c.write(simPart{chat: true, handed: c.m.now})
			c.flush()
			c.m.at(97*time.Millisecond+c.line.takes(3000*len(c.m.clients)), say)
		}
	}
	c.m.at(time.Duration(c.pid)*time.Millisecond, say)
}

// arrive takes a packet from the line: TCP acknowledges it, and hands on what is
// in order.
func (c *simClient) arrive(p simPart) {
	c.unsaid = append(c.unsaid, p)
	if !c.lazy || len(c.unsaid) > 1 {
		c.acknowledge()
	} else {
		c.m.at(40*time.Millisecond, c.acknowledge)
	}
	c.early[p.seq] = p
	for {
		p, ok := c.early[c.expect+1]
		if !ok {
			break
		}
		c.expect++
		delete(c.early, c.expect)
		if p.chat {
			c.delays = append(c.delays, c.m.now-p.handed)
			c.net -= p.len()
			continue
		}
		c.arrivals = append(c.arrivals, arrival{c.m.now, int(p.end - p.off)})
		c.unread = append(c.unread, p)
	}
	c.read()
}

func (c *simClient) acknowledge() {
	parts := c.unsaid
	c.unsaid = nil
	if len(parts) == 0 {
		return
	}
	c.m.at(c.line.delay, func() {
		for _, p := range parts {
			c.unacked -= p.len()
		}
		if sent := parts[0].sent; sent > 0 && !c.blind {
			rtt := c.m.now - sent
			c.srtt += (rtt - c.srtt) / 8
			c.minRTT = min(c.minRTT, rtt)
		}
		c.flush()
	})
}

func (c *simClient) read() {
	for len(c.unread) > 0 && !c.asleep && !c.gone {
		p := c.unread[0]
		c.unread = c.unread[1:]
		c.net -= p.len()
		c.take(p)
		if c.sleepFor > 0 && !c.slept && c.held >= int(c.sleepAt) {
			c.asleep, c.slept = true, true
			c.m.at(c.sleepFor, func() {
				c.asleep = false
				c.read()
				c.flush()
			})
		}
		if c.leaveAt > 0 && c.held >= int(c.leaveAt) {
			c.m.leave(c.pid)
			return
		}
	}
	c.flush()
}

// take encodes one 0x43 and reads the frame.
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
	case c.nak > 0 && int(part.Offset) == c.held && c.rng.Float64() < c.nak,
		c.noisy && int(part.Offset) > c.held:
		c.send(func() { c.m.s.Refuse(c.m.now, c.pid, w3gs.MapPartNotOK{To: hostPID, From: c.pid}) })
		return
	case int(part.Offset) != c.held:
		return // out of order behind a refused part
	}
	if !bytes.Equal(part.Data, c.m.file[c.held:c.held+len(part.Data)]) {
		c.m.t.Fatalf("part at %d is not the map's", p.off)
	}
	c.held += len(part.Data)
	c.got++
	whole := c.held == len(c.m.file)
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
	held := uint32(c.held)
	if c.flag3 {
		c.send(func() { c.m.s.Report(c.m.now, c.pid, w3gs.MapSize{Flag: w3gs.MapDownloading, Size: held}) })
		return
	}
	c.send(func() { c.m.s.Ack(c.m.now, c.pid, w3gs.MapPartOK{To: hostPID, From: c.pid, Size: held}) })
}

// send takes a packet of the client to the host.
func (c *simClient) send(call func()) {
	if c.late == 0 {
		c.acknowledge() // it carries what TCP has held back
	}
	c.m.at(c.late+c.line.delay, func() {
		if c.gone {
			return
		}
		c.look()
		c.m.handle(call)
	})
}

// whole fails unless the client holds the file and was told so once.
func (c *simClient) whole() {
	c.m.t.Helper()
	if c.held != len(c.m.file) || c.done == nil || c.percent != 100 {
		c.m.t.Fatalf("player %d: %d of %d bytes, %d %%, done %v at %v", c.pid, c.held, len(c.m.file),
			c.percent, c.done, c.m.now)
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
