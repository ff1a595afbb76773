package mapxfer

import (
	"net/netip"
	"time"
)

const (
	// firstWindow is what a line gets before anything is known about it.
	firstWindow = 10 * PartLen
	// leastWindow keeps the thinnest line from running dry between two looks.
	leastWindow = 2 * PartLen
	// fixedWindow is a player's where the system tells nothing of its lines. Older
	// hosts had as much on their way.
	fixedWindow = 100 * PartLen

	// fullQueue ends the slow start; above mostQueue the window shrinks. Both are
	// what packets of the game wait at the narrowest point of the line.
	fullQueue = 45 * time.Millisecond
	mostQueue = 60 * time.Millisecond
	// dryQueue says that the line has got wider, or that others have left it. Round
	// trips are known with an error of lookEvery.
	dryQueue = 14 * time.Millisecond
)

// Figures are what the host's system knows of a player's connection.
type Figures struct {
	// Addr is where the player is. Who has the same address shares a line; the
	// zero address shares with nobody.
	Addr netip.Addr
	// Queued are the map bytes that wait in the host's out queue.
	Queued int
	// Unacked are the bytes in the kernel and on the line.
	Unacked int
	// RTT and MinRTT are the present round trip and the shortest; 0 where the
	// system does not tell, and the window is fixed.
	RTT, MinRTT time.Duration
}

// inflight is what has been handed out and has not arrived.
func (f *Figures) inflight() int64 { return int64(f.Queued) + int64(f.Unacked) }

// line is the way to all players of one address. Its window bounds what they have
// on their way together, by the queue that this makes: the round trip beyond the
// shortest one. It begins with a few parts and grows by half with each round trip
// until there is a queue. Then it grows by two parts and shrinks by an eighth, as
// LEDBAT and TCP do, so that lines that share a narrow point without knowing agree.
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

// heard takes the news that acked bytes of a player have arrived, the last of them
// rtt after they were sent; 0: not measured. least is the shortest round trip that
// the player has seen, most bounds the window.
func (l *line) heard(now, rtt, least time.Duration, acked, most int64) {
	if rtt > 0 {
		// Down at once, up slowly: receivers may sit on an acknowledgement.
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
		l.size -= l.size / 3 // it has grown by half since this was sent
		l.shrinkAt = now + l.rtt
	case queue > mostQueue:
		if now >= l.shrinkAt {
			l.size -= l.size / 8
			l.shrinkAt = now + l.rtt
		}
	case now < l.easedTo || 2*(l.inflight+acked) < l.size: // or there is nothing to send
	case l.slow || queue < dryQueue:
		l.size += acked / 2
	default: // two parts in a round trip
		l.size += 2 * PartLen * acked / l.size
	}
	l.size = min(max(l.size, leastWindow), most)
}

// ease empties the queue that the line has made, for a round trip or so.
func (l *line) ease(now time.Duration) {
	if now >= l.easedTo {
		l.size, l.slow = max(l.size/2, leastWindow), true
	}
	l.easedTo = now + 2*l.rtt
}
