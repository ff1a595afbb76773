package mapxfer

import (
	"net/netip"
	"time"
)

const (
	// firstWindow is a line's window before its first round trip.
	firstWindow = 10 * PartLen
	// leastWindow keeps the slowest line busy between two looks at its figures.
	leastWindow = 2 * PartLen
	// fixedWindow is a player's window where the system reports no round trips. It
	// is what older hosts use.
	fixedWindow = 100 * PartLen

	// fullQueue ends the slow start; the parts on their way by then make it some 30 ms
	// more. Above mostQueue the window shrinks. Both are what packets of the game
	// wait at the bottleneck.
	fullQueue = 25 * time.Millisecond
	mostQueue = 60 * time.Millisecond
	// Below dryQueue the line has capacity to spare. Round trips are known to within
	// lookEvery.
	dryQueue = 14 * time.Millisecond
)

// Figures are the measurements of the operating system about a player's connection.
type Figures struct {
	// Addr is the player's address. Players with the same one share a line; those
	// with the zero address have one each.
	Addr netip.Addr
	// Queued are the map bytes that wait in the host's out queue.
	Queued int
	// Unacked are the bytes in the kernel and on the line.
	Unacked int
	// RTT and MinRTT are the present round trip and the shortest. They are 0 where
	// the system does not report them; the window is fixed then.
	RTT, MinRTT time.Duration
}

// inflight are the bytes that have been handed out and have not arrived.
func (f *Figures) inflight() int64 { return int64(f.Queued) + int64(f.Unacked) }

// line is the way to all players of one address. Its window bounds the bytes that they have
// on their way together, by the queue that this makes: the round trip beyond the
// shortest one. It begins with a few parts and grows by half with each round trip,
// and by a quarter from the first sign of a queue. Then it grows by two parts and
// shrinks by an eighth, as LEDBAT and TCP do, so that lines with a common bottleneck
// converge.
type line struct {
	size     int64         // the window
	players  int           // who download over it
	inflight int64         // of all of them
	slow     bool          // slow start: until there is a queue
	base     time.Duration // the shortest round trip
	rtt      time.Duration
	shrinkAt time.Duration // not before
	easedTo  time.Duration // until then it does not grow
}

// arrived adapts the window when acked bytes of a player have arrived, the last of
// them rtt after they were sent; 0: not measured. least is the shortest round trip
// that the player has seen, most bounds the window.
func (l *line) arrived(now, rtt, least time.Duration, acked, most int64) {
	if rtt > 0 {
		// Down at once, up slowly: receivers may delay an acknowledgement.
		if l.rtt == 0 || rtt < l.rtt {
			l.rtt = rtt
		}
		l.rtt += (rtt - l.rtt) / 2
	}
	if l.base == 0 || least < l.base {
		l.base = least
	}
	queue := l.rtt - l.base
	switch {
	case l.slow && queue > fullQueue:
		l.slow = false
		l.size -= l.size / 5 // it has grown by a quarter since this was sent
		l.shrinkAt = now + l.rtt
	case queue > mostQueue:
		if now >= l.shrinkAt {
			l.size -= l.size / 8
			l.shrinkAt = now + l.rtt
		}
	case now < l.easedTo || 2*(l.inflight+acked) < l.size: // or there is nothing to send
	case queue < dryQueue:
		l.size += acked / 2
	case l.slow: // parts sent since are not in the queue yet
		l.size += acked / 4
	default: // two parts in a round trip
		l.size += 2 * PartLen * acked / l.size
	}
	l.size = min(max(l.size, leastWindow), most)
}

// ease drains the queue: it halves the window, which does not grow for two round
// trips.
func (l *line) ease(now time.Duration) {
	if now >= l.easedTo {
		l.size, l.slow = max(l.size/2, leastWindow), true
	}
	l.easedTo = now + 2*l.rtt
}
