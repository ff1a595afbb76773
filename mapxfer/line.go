package mapxfer

import (
	"net/netip"
	"time"
)

const (
	// firstWindow is a line's window before its first round trip was measured.
	firstWindow = 10 * PartLen
	// leastWindow keeps the slowest line busy between two measurements.
	leastWindow = 2 * PartLen
	// fixedWindow is a player's window on systems that do not report round trips. Older hosts use the same
	// value.
	fixedWindow = 100 * PartLen

	// fullQueue ends slow start; parts already on their way then add some 30 ms. Above mostQueue the window
	// shrinks. Both are queuing delays at the bottleneck, which game packets suffer too.
	fullQueue = 25 * time.Millisecond
	mostQueue = 60 * time.Millisecond
	// dryQueue is the queuing delay below which the line has spare capacity. Round trips are accurate to
	// lookEvery.
	dryQueue = 14 * time.Millisecond
)

// Figures are the operating system's measurements of a player's connection.
type Figures struct {
	// Addr is the player's address. Players with the same valid address share a line; each player with the
	// zero address has a separate line.
	Addr netip.Addr
	// Queued is the number of map bytes in the host's out queue.
	Queued int
	// Unacked is the number of bytes in the kernel or on the network.
	Unacked int
	// RTT and MinRTT are the current and the shortest round trip. They are 0 if the system does not report
	// them; the window is then fixed.
	RTT, MinRTT time.Duration
}

// inflight returns the bytes that have been sent but have not arrived.
func (f *Figures) inflight() int64 { return int64(f.Queued) + int64(f.Unacked) }

// line is the network path to all players of one address. Its window limits their bytes in flight by the
// queuing delay, which is the round trip beyond the shortest one. The window starts with a few parts and
// grows by half per round trip, and by a quarter from the first sign of a queue. After slow start it grows by
// two parts and shrinks by an eighth, as in LEDBAT and TCP, so that lines with a common bottleneck converge.
type line struct {
	size     int64         // window in bytes
	players  int           // number of players downloading over it
	inflight int64         // sum over all its players
	slow     bool          // slow start: no queue has been seen yet
	base     time.Duration // shortest round trip
	rtt      time.Duration
	shrinkAt time.Duration // earliest time to shrink again
	easedTo  time.Duration // the window does not grow before this time
}

// arrived adapts the window after acked bytes of a player have arrived. rtt is the round trip of the last
// ones, 0 if not measured. least is the player's shortest round trip, and most limits the window.
func (l *line) arrived(now, rtt, least time.Duration, acked, most int64) {
	if rtt > 0 {
		// Follow decreases at once and increases slowly, because receivers may delay acknowledgements.
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
		l.size -= l.size / 5 // it has grown by a quarter since these bytes were sent
		l.shrinkAt = now + l.rtt
	case queue > mostQueue:
		if now >= l.shrinkAt {
			l.size -= l.size / 8
			l.shrinkAt = now + l.rtt
		}
	case now < l.easedTo || 2*(l.inflight+acked) < l.size: // or the window is not used up
	case queue < dryQueue:
		l.size += acked / 2
	case l.slow: // the queue does not include parts sent since
		l.size += acked / 4
	default: // two parts per round trip
		l.size += 2 * PartLen * acked / l.size
	}
	l.size = min(max(l.size, leastWindow), most)
}

// ease drains the queue: it halves the window and keeps it from growing for two round trips.
func (l *line) ease(now time.Duration) {
	if now >= l.easedTo {
		l.size, l.slow = max(l.size/2, leastWindow), true
	}
	l.easedTo = now + 2*l.rtt
}
