package loop

import (
	"time"

	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// One loop serves all clients, so the work for one connection in one pass is limited in bytes, packets
// and time, whatever the client does:
//
//	reading      one read of passRead bytes; of its packets at most passPackets are handled,
//	             and none once passTime has elapsed
//	writing      passWrite bytes
//	accepting    passAccepts connections of one listener
//	expiring     passExpiries connections whose time limit has passed
//
// Between two connections, groups that have become due are ticked (punctual). The remaining work waits
// for the next pass, behind all other waiting work, and the loop does not sleep before it. epoll reports
// each event only once, so the loop keeps lists of what remains.
//
// Other limits are elsewhere: host/admission limits connections, joins, reconnects and packets per
// second, and the out queue limits the bytes that wait for a socket.
const (
	passRead     = 16 << 10
	passPackets  = 64
	passTime     = 500 * time.Microsecond
	passWrite    = 64 << 10
	passAccepts  = 16
	passExpiries = 64
)

// FrameMax is the maximum length of a client packet. The longest known one is a 0x26 of 1,035
// bytes, because an action has at most w3gs.MaxActionLen bytes. A 0x28 has at most 521 bytes; a
// 0x59 of 1.32 and later was observed with 74, and lobbies relay at most 1,033.
const FrameMax = 2 << 10

const (
	// firstPacketMax is the maximum length of the first packet, with room to spare for a 0x1E.
	firstPacketMax = 512
	// LingerBytes is the number of bytes that a client may still send after the host has begun to
	// close the connection.
	LingerBytes = 64 << 10
	// readEvery is the longest time for which a group's packets stay unread in the kernel. They are
	// read before each tick anyway, which is sooner in a running game; chat, pongs and lag
	// detection can wait this long.
	readEvery = 150 * time.Millisecond
	// attendedEvery is used instead of readEvery while Owner.Attends is true.
	attendedEvery = 50 * time.Millisecond
	// heartDelay is how long a due heartbeat waits for a pass that happens anyway.
	heartDelay = 200 * time.Millisecond
)

// pass runs one pass. idle is the time until the next deadline, negative if there is none. over is
// true once the loop has ended.
func (l *Loop) pass() (idle time.Duration, over bool) {
	l.passes++
	l.poll.collect()
	l.update()
	l.early.woken(l.now)
	l.runCalls()
	l.poll.deliver(passAccepts) // calls Receive, writable and arrive
	l.runDue()
	l.readUnread()
	l.beat()
	l.passExpired(&l.arriving, errNoJoin)
	l.passExpired(&l.lingering, nil)
	l.passUnread()
	l.passUnwritten()
	l.settle()
	return l.timeout(), l.stopping && l.open == 0 && len(l.deadlines) == 0
}

func (l *Loop) timeout() time.Duration {
	if len(l.unread)+len(l.unwritten) > 0 {
		return 0
	}
	l.readAt = never
	for _, g := range l.reading {
		l.readAt = min(l.readAt, g.readAt+g.readEvery())
	}
	now := time.Since(l.base)
	at := min(l.readAt, l.early.wait(now, l.next()), l.arriving.next(), l.lingering.next(), l.poll.next(), l.beatWake())
	if at == never {
		return -1
	}
	if at > now {
		l.early.alarm = at
	}
	return max(at-now, 0)
}

func (l *Loop) runCalls() {
	l.mu.Lock()
	calls := l.calls
	l.calls = nil
	l.mu.Unlock()
	for _, f := range calls {
		f()
		l.punctual()
	}
	l.settle()
}

// punctual ticks the groups that became due during other work, such as many joins or downloads at
// once.
func (l *Loop) punctual() {
	if l.running {
		return // runDue is under way
	}
	l.update()
	l.runDue()
}

// runDue ticks the groups that are due. Packets queued by others meanwhile are written later, by
// settle.
func (l *Loop) runDue() {
	l.running = true
	defer func() { l.running = false }()
	for g := l.first(); g != nil && g.due <= l.now; g = l.first() {
		l.readGroup(g)
		g.owner.Tick()
		l.schedule()
		l.update()
	}
}

// readUnread reads the groups that have not been read for readEvery, and together with the first of
// them all that follow soon.
func (l *Loop) readUnread() {
	if l.now < l.readAt {
		return
	}
	for i := 0; i < len(l.reading); i++ { // a group may be closed meanwhile
		if g := l.reading[i]; l.now-g.readAt >= g.readEvery()/2 {
			l.readGroup(g)
			l.punctual()
		}
	}
	l.settle()
}

func (l *Loop) readGroup(g *Group) {
	g.readAt = l.now
	l.poll.read(&g.set)
}

// passExpired cuts connections whose time limit has passed.
func (l *Loop) passExpired(e *expiries, cause error) {
	for range passExpiries {
		if e.next() > l.now {
			return
		}
		e.first().Cut(cause)
		l.punctual()
	}
}

// passUnread reads once from each connection on the list.
func (l *Loop) passUnread() {
	list := l.unread
	l.unread, l.spare.unread = l.spare.unread, nil
	for _, c := range list {
		c.in.listed = false
		l.Receive(c)
		l.punctual()
	}
	clear(list)
	l.spare.unread = list[:0]
}

// passUnwritten continues the writes that the last pass could not complete.
func (l *Loop) passUnwritten() {
	list := l.unwritten
	l.unwritten, l.spare.unwritten = l.spare.unwritten, nil
	for _, c := range list {
		c.unwritten = false
		l.write(c)
		l.punctual()
	}
	clear(list)
	l.spare.unwritten = list[:0]
}

// settle writes the queued packets, and queries the deadlines of groups that received packets.
func (l *Loop) settle() {
	for len(l.touched) > 0 || len(l.dirty) > 0 { // a connection that breaks is an input
		l.schedule()
		dirty := l.dirty
		l.dirty, l.spare.dirty = l.spare.dirty, nil
		for _, c := range dirty {
			if c.dirty { // else its turn has taken it along
				l.write(c)
				l.punctual()
			}
		}
		clear(dirty)
		l.spare.dirty = dirty[:0]
	}
}

// Flush writes the queued packets of a connection before those of others.
func (l *Loop) Flush(c *Conn) {
	if c.dirty {
		l.write(c)
	}
}

// Receive reads from a connection once, unless packets of an earlier read are waiting, and handles
// them. If something remains, the connection is put on the list of passUnread.
func (l *Loop) Receive(c *Conn) {
	if c.state == Closed || c.in.moving || c.in.listed || c.in.paused && c.state < Closing {
		return
	}
	n, more, err := 0, true, error(nil)
	if c.in.behind {
		l.received(c, nil)
	} else {
		if c.keeper != nil {
			c.keeper.Reading()
		}
		if n, more, err = c.Socket.Read(l.incoming); n > 0 {
			l.received(c, l.incoming[:n])
		}
	}
	if c.keeper != nil && c.state < Closing {
		c.keeper.Kept(c.in.rest)
	}
	if err != nil {
		c.Cut(err)
	}
	if more || c.in.behind {
		l.readSoon(c)
	}
}

// readSoon puts a connection on the list of passUnread.
func (l *Loop) readSoon(c *Conn) {
	if c.state != Closed && !c.in.listed {
		c.in.listed = true
		l.unread = append(l.unread, c)
	}
}

// received handles bytes that the client has sent.
func (l *Loop) received(c *Conn, data []byte) {
	if c.state == Closing { // only the end of the queue is awaited
		if c.in.ending += len(data); c.in.ending > LingerBytes {
			c.Cut(ErrFlood)
		}
		return
	}
	defer c.rescue()
	stored := len(c.in.rest) > 0
	if stored {
		c.in.rest = append(c.in.rest, data...)
		data = c.in.rest
	}
	if data = l.handle(c, data); c.state >= Closing || len(data) == 0 {
		c.in.rest, c.in.behind = nil, false
	} else if stored {
		c.in.rest = data
	} else {
		c.in.rest = append([]byte(nil), data...)
	}
}

// handle handles the packets in data within the limits of a pass, and returns the rest.
func (l *Loop) handle(c *Conn, data []byte) []byte {
	end := l.now + passTime
	for n := 0; c.state < Closing && !c.in.moving; n++ {
		most := FrameMax
		if c.state == Arriving {
			most = firstPacketMax
		}
		frame, rest, err := gproxy.Next(data, most)
		if err != nil {
			c.Cut(err)
			return nil
		}
		c.in.behind = frame != nil && (n == passPackets || n > 0 && l.now >= end)
		if frame == nil || c.in.behind {
			return data
		}
		data = rest
		c.taken += uint64(len(frame))
		if err = c.Handler.Packet(frame); err != nil {
			c.Cut(err)
			return nil
		}
		if !brief(w3gs.Frame(frame).Op()) {
			l.update()
		}
	}
	return data
}

// brief reports whether packets of this kind are so cheap to handle that the clock need not be read
// after each; passPackets limits them.
func brief(op w3gs.Op) bool {
	return op == w3gs.OpOutgoingAction || op == w3gs.OpKeepalive || op == w3gs.OpMapPartOK || op == w3gs.OpMapSize
}
