// Package heartbeat wakes all periodic chores of a process at the same moment, because an idle process costs
// as much as it has wake-ups. The games' event loop beats once a second, together with a turn; live pages,
// the replay writer and other chores run then.
package heartbeat

import (
	"slices"
	"sync"
	"time"
)

// Every is the time between two beats while the process has lobbies or games.
const Every = time.Second

// Heart passes beats to its listeners. The zero value is ready for use and safe for concurrent use. A nil
// *Heart uses a separate timer for each listener, for programs without an event loop.
type Heart struct {
	mu        sync.Mutex
	listeners []*listener
}

type listener struct {
	beats chan time.Time
	every time.Duration
	last  time.Time
	when  func() bool // nil means always
}

// Beat wakes the listeners. It never blocks: a listener that is busy gets a single beat when it is done.
func (h *Heart) Beat(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.listeners {
		if l.every > Every && now.Sub(l.last) < l.every || l.when != nil && !l.when() {
			continue
		}
		l.last = now
		select {
		case l.beats <- now:
		default:
		}
	}
}

// ListenWhen is like Listen for a listener that has nothing to do at most beats. It is not woken while when
// returns false. when is called at each beat on the beating goroutine and must not block.
func (h *Heart) ListenWhen(every time.Duration, when func() bool) (beats <-chan time.Time, stop func()) {
	return h.listen(every, when)
}

// Listen returns a channel that receives a value at the first beat after the time every has passed since the
// last one. Call stop when no longer listening.
func (h *Heart) Listen(every time.Duration) (beats <-chan time.Time, stop func()) {
	return h.listen(every, nil)
}

func (h *Heart) listen(every time.Duration, when func() bool) (beats <-chan time.Time, stop func()) {
	if h == nil {
		t := time.NewTicker(every)
		return t.C, t.Stop
	}
	l := &listener{beats: make(chan time.Time, 1), every: every, when: when}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners = append(h.listeners, l)
	return l.beats, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.listeners = slices.DeleteFunc(h.listeners, func(o *listener) bool { return o == l })
	}
}
