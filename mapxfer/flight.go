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

// flights is a ring of marks. Marks closer to each other than a small share of
// what is in flight would not measure more; there the newest mark moves.
type flights struct {
	ring [64]flight
	head int
	n    int
}

func (f *flights) push(m flight, inflight int64) {
	if f.n > 1 {
		before := &f.ring[(f.head+f.n-2)%len(f.ring)]
		newest := &f.ring[(f.head+f.n-1)%len(f.ring)]
		if f.n == len(f.ring) || newest.end-before.end < inflight/int64(len(f.ring)/2) {
			*newest = m
			return
		}
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
