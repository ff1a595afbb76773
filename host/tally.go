package host

import (
	"container/list"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// tally bounds what names and addresses do again and again: each may do it burst
// times, and has that many back after within. It remembers maxVisitors of them.
type tally struct {
	burst  int
	within time.Duration

	mu     sync.Mutex
	known  map[string]*list.Element
	recent *list.List // of *tallied, the last seen in front
}

type tallied struct {
	key   string
	spent *rate.Limiter
}

func newTally(burst int, within time.Duration) *tally {
	return &tally{burst: burst, within: within, known: make(map[string]*list.Element), recent: list.New()}
}

// use changes the bounds. What was counted by others is forgotten.
func (t *tally) use(burst int, within time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if burst != t.burst || within != t.within {
		t.burst, t.within = burst, within
		clear(t.known)
		t.recent.Init()
	}
}

// keys are what somebody is known by: the name, and the address unless many have
// it.
func (h *Host) keys(name string, addr netip.Addr) []string {
	keys := []string{"name " + strings.ToLower(strings.TrimSpace(name))}
	if !h.gate.exempt(addr) {
		keys = append(keys, "addr "+addr.String())
	}
	return keys
}

// spend counts once more for each key.
func (t *tally) spend(now time.Time, keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		t.limiter(key).AllowN(now, 1)
	}
}

// wait is how long it is until each of the keys may do it again.
func (t *tally) wait(now time.Time, keys ...string) (longest time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		if e := t.known[key]; e != nil {
			r := e.Value.(*tallied).spent.ReserveN(now, 1)
			longest = max(longest, r.DelayFrom(now))
			r.CancelAt(now)
		}
	}
	return longest
}

func (t *tally) limiter(key string) *rate.Limiter {
	if e := t.known[key]; e != nil {
		t.recent.MoveToFront(e)
		return e.Value.(*tallied).spent
	}
	one := &tallied{key, rate.NewLimiter(rate.Limit(float64(t.burst)/t.within.Seconds()), t.burst)}
	t.known[key] = t.recent.PushFront(one)
	if t.recent.Len() > maxVisitors {
		delete(t.known, t.recent.Remove(t.recent.Back()).(*tallied).key)
	}
	return one.spent
}
