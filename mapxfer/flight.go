package mapxfer

import "time"

// flight is a mark in the stream: the bytes up to end left at that time.
type flight struct {
	end         int64
	at          time.Duration
	delivered   int64 // window.delivered at that time
	deliveredAt time.Duration
	firstSent   time.Duration // when the flight acknowledged last had left
	limited     bool          // something other than the window held the sender back
}

// flights is a ring of marks. When it is full the newest mark moves: a coarser
// measure, never a wrong one.
type flights struct {
	ring [64]flight
	head int
	n    int
}

func (f *flights) push(m flight) {
	if f.n == len(f.ring) {
		f.ring[(f.head+f.n-1)%len(f.ring)] = m
		return
	}
	f.ring[(f.head+f.n)%len(f.ring)] = m
	f.n++
}

// pop returns the newest mark at or before acked and drops it and all older ones.
func (f *flights) pop(acked int64) (m flight, ok bool) {
	for f.n > 0 && f.ring[f.head].end <= acked {
		m, ok = f.ring[f.head], true
		f.head = (f.head + 1) % len(f.ring)
		f.n--
	}
	return m, ok
}

func (f *flights) clear() { f.head, f.n = 0, 0 }
