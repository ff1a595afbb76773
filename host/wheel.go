package host

import (
	"container/heap"
	"math"
	"sync"
	"time"
)

// wheel wakes games when they have something due. One wheel serves all games:
// the runtime's own timers go by whole milliseconds of its poller, and a turn
// that is late by one is seen at the clients; see docs/benchmarks.md.
type wheel struct {
	sleeper sleeper
	base    time.Time
	done    chan struct{}

	mu     sync.Mutex
	alarms alarms
	armed  time.Duration // what the sleeper is set to; 0 for nothing
}

// alarm is one game's place on the wheel.
type alarm struct {
	at    time.Duration
	index int // in the heap; -1 when it is not set
	ring  func()
}

// sleeper waits for a moment; it is set anew while it waits.
type sleeper interface {
	// arm ends the current or next wait after d.
	arm(d time.Duration)
	// wait returns when the time has come, or false after close.
	wait() bool
	close()
}

func newWheel() (*wheel, error) {
	s, err := newSleeper()
	if err != nil {
		return nil, err
	}
	w := &wheel{sleeper: s, base: time.Now(), done: make(chan struct{})}
	go w.run() // ends with close
	return w, nil
}

// spreadFrom is with how many games their turns are spread over the period. A
// few do not get into each other's way, and then need not wait for their place.
const spreadFrom = 8

// beatGrid is the distance between two places in the period. Games that share a
// place share the wake-up; as many as fit there are sent in well under it.
const beatGrid = 2 * time.Millisecond

// beat gives a game its place in the period: each next game goes where the
// largest gap is, by the golden ratio. It is on the game's own clock.
func (h *Host) beat(id uint32, started time.Time, period time.Duration) (at time.Duration, spread bool) {
	h.mu.Lock()
	games := len(h.games)
	h.mu.Unlock()
	_, share := math.Modf(float64(id) * math.Phi)
	place := time.Duration(share * float64(period)).Truncate(beatGrid)
	return place - started.Sub(h.wheel.base)%period, games >= spreadFrom
}

func newAlarm(ring func()) *alarm { return &alarm{index: -1, ring: ring} }

// set rings the alarm after d. It replaces what was set before.
func (w *wheel) set(a *alarm, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Since(w.base)
	a.at = now + max(d, 0)
	if a.index < 0 {
		heap.Push(&w.alarms, a)
	} else {
		heap.Fix(&w.alarms, a.index)
	}
	w.arm(now)
}

// cancel keeps the alarm from ringing.
func (w *wheel) cancel(a *alarm) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.index >= 0 {
		heap.Remove(&w.alarms, a.index)
	}
}

// arm sets the sleeper to the first alarm, if that is earlier than what it is
// set to. A sleeper that wakes too early finds nothing and is set again.
func (w *wheel) arm(now time.Duration) {
	if len(w.alarms) == 0 {
		return
	}
	if first := w.alarms[0].at; w.armed == 0 || first < w.armed {
		w.armed = first
		w.sleeper.arm(max(first-now, 1))
	}
}

func (w *wheel) run() {
	defer close(w.done)
	for w.sleeper.wait() {
		w.mu.Lock()
		now := time.Since(w.base)
		for len(w.alarms) > 0 && w.alarms[0].at <= now {
			heap.Pop(&w.alarms).(*alarm).ring()
		}
		w.armed = 0
		w.arm(now)
		w.mu.Unlock()
	}
}

func (w *wheel) close() {
	w.sleeper.close()
	<-w.done
}

// alarms is a heap by time.
type alarms []*alarm

func (h alarms) Len() int           { return len(h) }
func (h alarms) Less(i, j int) bool { return h[i].at < h[j].at }
func (h alarms) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *alarms) Push(x any) {
	a := x.(*alarm)
	a.index = len(*h)
	*h = append(*h, a)
}

func (h *alarms) Pop() any {
	last := len(*h) - 1
	a := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	a.index = -1
	return a
}
