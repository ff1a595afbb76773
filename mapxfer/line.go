package mapxfer

import (
	"math"
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
	// dryQueue says that the line has got wider, or that others have left it.
	dryQueue = 10 * time.Millisecond
	// sameTrip is how much the shortest round trips of lines differ that may well
	// meet somewhere. Else who measured a little less would always make room first.
	sameTrip = 15 * time.Millisecond
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
// shortest one. It begins with a few parts and doubles with each round trip until
// there is a queue. Then it grows slowly and shrinks by an eighth, as LEDBAT and
// TCP do, so that lines that share a narrow point without knowing agree.
type line struct {
	size     int64         // the window
	players  int           // who download over it
	inflight int64         // of all of them
	slow     bool          // still doubling
	base     time.Duration // the shortest round trip
	rtt      time.Duration
	shrinkAt time.Duration // not before
	easedTo  time.Duration // until then it does not grow
}

func newLine() *line { return &line{size: firstWindow, slow: true} }

// heard takes the news that acked bytes of a player have arrived; before and f
// are the player's figures before and after. base is the round trip without a
// queue, most bounds the window.
func (l *line) heard(now time.Duration, before, f *Figures, base time.Duration, acked, most int64) {
	// The kernel takes an eighth of each sample. Where acknowledgements come one by
	// one, the samples can be told apart again; a smoothed one would be old.
	rtt := f.RTT
	if old := before.RTT; old > 0 {
		rtt += (f.RTT - old) * time.Duration(min(max(8*PartLen/acked, 1), 8)-1)
	}
	rtt = max(rtt, base)
	// Down at once, up slowly: receivers may sit on an acknowledgement.
	if l.rtt == 0 || rtt < l.rtt {
		l.rtt = rtt
	}
	l.rtt += (rtt - l.rtt) / 8
	queue := l.rtt - base
	switch {
	case l.slow && queue > fullQueue:
		l.slow = false
		l.size -= l.size / 4 // it has doubled since this was sent
		l.shrinkAt = now + l.rtt
	case queue > mostQueue:
		if now >= l.shrinkAt {
			l.size -= l.size / 8
			l.shrinkAt = now + l.rtt
		}
	case now < l.easedTo || f.Queued > f.Unacked || 2*(l.inflight+acked) < l.size:
		// Or the kernel takes less, or there is nothing to send.
	case l.slow:
		l.size += acked
	default:
		l.size += l.growth(queue) * acked / l.size
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

// growth is what the window gains in a round trip. Small windows gain more of
// themselves than large ones, which makes them equal.
func (l *line) growth(queue time.Duration) int64 {
	if queue < dryQueue {
		return l.size / 4
	}
	return max(int64(math.Sqrt(float64(PartLen*l.size)))/4, PartLen)
}

// share is what one player may have on the way.
func (l *line) share() int64 { return max(l.size/int64(max(l.players, 1)), 4*PartLen) }

// room is what the line takes now.
func (l *line) room() int64 { return l.size - l.inflight }
