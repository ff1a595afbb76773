package host

import (
	"time"

	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// One loop serves everybody, so what it does for one link in one pass is bounded in
// bytes, packets and time, whoever sits at the other end:
//
//	reading      one read of passRead bytes; of what it brought passPackets packets,
//	             and none more once passTime is over
//	writing      passWrite bytes
//	accepting    passAccepts connections of one listener
//	expiring     passExpiries links whose time is over
//
// Between one link and the next the turns that have become due go out (punctual).
// What is left waits for the next pass, behind all others who wait, and the shard
// does not sleep before. epoll tells of news only once, so the shard keeps the list.
//
// The rest of the rule is with what it bounds: who may connect, join and come back
// how often with the gate, packets a second with the meter, what may wait for a
// socket with the out queue.
const (
	passRead     = 16 << 10
	passPackets  = 64
	passTime     = 500 * time.Microsecond
	passWrite    = 64 << 10
	passAccepts  = 16
	passExpiries = 64
)

const (
	// frameMax is the longest packet that a client may send. The longest real one is
	// a 0x26 of 1,035 bytes, since no action is longer than w3gs.MaxActionLen. A 0x28
	// has 521 at most by its form, a 0x59 of 1.32 and later was seen with 74; lobbies
	// relay a 0x59 of 1,033 at most.
	frameMax = 2 << 10
	// firstPacketMax is a generous 0x1E; before it nothing else is accepted.
	firstPacketMax = 512
	// lingerBytes is what a client may still send before it has read its last
	// packets and closes.
	lingerBytes = 64 << 10
)

// inbox is what has come from a client and is not handled yet: at most what one read
// takes behind the beginning of one packet.
type inbox struct {
	// rest begins with a packet. What has been handled is sliced off and what comes is
	// appended, so that a packet that comes byte by byte is not copied for each byte.
	rest []byte
	// behind says that rest holds a whole packet that the last pass had no time for.
	behind bool
	listed bool // in shard.unread
	ending int  // bytes that have come since the link began to close
}

// pass reads from a link and handles what has come. If something is left the link is
// on the list afterwards; who is there already waits there.
func (s *shard) pass(l *link) {
	if l.state == closed || l.in.listed {
		return
	}
	if (l.receive() || l.in.behind) && l.state != closed {
		l.in.listed = true
		s.unread = append(s.unread, l)
	}
}

// passUnread passes over the links on the list once.
func (s *shard) passUnread() {
	list := s.unread
	s.unread, s.spare.unread = s.spare.unread, nil
	for _, l := range list {
		l.in.listed = false
		s.pass(l)
		s.punctual()
	}
	clear(list)
	s.spare.unread = list[:0]
}

// passUnwritten lets the links write that could not write all in the last pass.
func (s *shard) passUnwritten() {
	list := s.unwritten
	s.unwritten, s.spare.unwritten = s.spare.unwritten, nil
	for _, l := range list {
		l.unwritten = false
		l.flush()
		s.punctual()
	}
	clear(list)
	s.spare.unwritten = list[:0]
}

// writeLater puts a link on the list of those that have more to write.
func (s *shard) writeLater(l *link) {
	if !l.unwritten {
		l.unwritten = true
		s.unwritten = append(s.unwritten, l)
	}
}

// passExpired cuts links whose time is over.
func (s *shard) passExpired(e *expiries, cause error) {
	for range passExpiries {
		l := e.due(s.now)
		if l == nil {
			return
		}
		l.cut(cause)
		s.punctual()
	}
}

// receive reads once, unless packets wait that have been read before, and reports
// whether the socket may have more.
func (l *link) receive() (more bool) {
	if l.in.behind {
		l.received(nil)
		return true
	}
	n, more, err := l.sock.read(l.shard.incoming)
	if n > 0 {
		l.received(l.shard.incoming[:n])
	}
	if err != nil {
		l.cut(err)
	}
	return more
}

// received takes bytes that the client has sent.
func (l *link) received(data []byte) {
	if l.state == closing { // only the end of what is queued is awaited
		if l.in.ending += len(data); l.in.ending > lingerBytes {
			l.cut(errFlood)
		}
		return
	}
	defer l.rescue()
	stored := len(l.in.rest) > 0
	if stored {
		l.in.rest = append(l.in.rest, data...)
		data = l.in.rest
	}
	if data = l.handle(data); l.state >= closing || len(data) == 0 {
		l.in.rest, l.in.behind = nil, false
	} else if stored {
		l.in.rest = data
	} else {
		l.in.rest = append([]byte(nil), data...)
	}
}

// handle takes packets off data until a pass is over, and returns what is left.
func (l *link) handle(data []byte) []byte {
	end := l.shard.now + passTime
	for n := 0; l.state < closing; n++ {
		most := frameMax
		if l.state == unjoined {
			most = firstPacketMax
		}
		frame, rest, err := gproxy.Next(data, most)
		if err != nil {
			l.cut(err)
			return nil
		}
		l.in.behind = frame != nil && (n == passPackets || n > 0 && l.shard.now >= end)
		if frame == nil || l.in.behind {
			return data
		}
		data = rest
		if frame[0] == gproxy.Magic {
			err = l.extension(frame)
		} else {
			err = l.packet(frame)
		}
		if err != nil {
			l.cut(err)
			return nil
		}
		if !brief(w3gs.Frame(frame).Op()) {
			l.shard.look()
		}
	}
	return nil
}

// brief reports whether packets of a kind always take so little time that the clock
// need not be looked at after each: passPackets bounds them.
func brief(op w3gs.Op) bool {
	return op == w3gs.OpOutgoingAction || op == w3gs.OpKeepalive || op == w3gs.OpMapPartOK || op == w3gs.OpMapSize
}
