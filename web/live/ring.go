package live

import (
	"sync/atomic"

	"w3host/web/view"
)

// ringLen is the capacity of the ring. A hundred games produce some hundred events a second, and
// events are taken once a second or when the ring is half full.
const ringLen = 4096

// ring passes events from one writing goroutine to one reading goroutine without blocking either.
// If the ring is full, the event is lost and leaves a gap in the numbers.
type ring struct {
	events  [ringLen]view.Event
	head    atomic.Uint64 // events taken
	tail    atomic.Uint64 // events put
	offered atomic.Uint64 // events put or lost
	taken   atomic.Uint64 // of these, those that take has seen
	room    bool          // for the event that next has returned
	half    func()        // called when the ring becomes half full; must not block
}

// next returns the place of the next event, which put then adds to the ring. Only its number is
// set. It returns nil if the ring is full.
func (r *ring) next() *view.Event {
	tail := r.tail.Load()
	if r.room = tail-r.head.Load() < ringLen; !r.room {
		return nil
	}
	at := &r.events[tail%ringLen]
	at.N = r.offered.Load() + 1
	return at
}

// put adds the event that next has returned, or counts it as lost.
func (r *ring) put() {
	if r.room {
		tail := r.tail.Load() + 1
		r.tail.Store(tail)
		if r.half != nil && tail-r.head.Load() == ringLen/2 {
			r.half()
		}
	}
	r.offered.Store(r.offered.Load() + 1)
}

// waits reports whether there are events to take.
func (r *ring) waits() bool { return r.offered.Load() != r.taken.Load() }

// take calls use with each event in the ring. It returns the number of the last event that was put
// or lost before the call.
func (r *ring) take(use func(*view.Event)) (through uint64) {
	through = r.offered.Load() // first: events behind it are for the next time
	r.taken.Store(through)
	var e view.Event
	for head, tail := r.head.Load(), r.tail.Load(); head < tail; head++ {
		at := &r.events[head%ringLen]
		e, *at = *at, view.Event{} // its strings are no longer needed
		r.head.Store(head + 1)     // before use, so that an event that breaks it comes once
		use(&e)
	}
	return through
}
