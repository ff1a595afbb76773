// Package heartbeat wakes the housekeeping of a whole process at the same moment: a process that
// sleeps most of the time costs as much as it has wake-ups. The event loop of the games beats once
// a second, together with a turn; live pages, the replay writer and other chores work then.
package heartbeat

import (
	"slices"
	"sync"
	"time"
)

// Every is the time between two beats while the process has lobbies or games.
const Every = time.Second

// Heart passes beats on to everybody who listens. The zero value is ready for use. A nil *Heart
// beats by itself, with a timer for each listener; programs without an event loop use that.
type Heart struct {
	mu        sync.Mutex
	listeners []*listener
}

type listener struct {
	beats chan time.Time
	every time.Duration
	last  time.Time
	when  func() bool // nil: always
}

// Beat wakes the listeners. It never blocks: a listener that is still busy gets one beat when it
// is done, however many it missed.
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

// ListenWhen is Listen for a listener that has nothing to do at most beats: it is left asleep while
// when returns false. when is called at each beat by the goroutine that beats and must not block.
func (h *Heart) ListenWhen(every time.Duration, when func() bool) (beats <-chan time.Time, stop func()) {
	return h.listen(every, when)
}

// Listen returns a channel that receives a value at each beat, or at the first beat after the
// time every has passed since the last one that was passed on. The caller calls stop when it no
// longer listens.
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
