package host

import (
	"container/list"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// maxVisitors is how many names and addresses a tally remembers, some 400 bytes
// each. A forgotten address has its full allowance again, so whoever wants that
// must come from more addresses than this.
const maxVisitors = 16 << 10

// tally bounds what names and addresses do again and again: each may do it burst
// times, and has that many back after within. Every call takes the same time,
// however many are known. It belongs to the goroutine of the shard.
type tally struct {
	burst  int
	rate   rate.Limit
	known  map[string]*list.Element
	recent *list.List // of *tallied, the last seen in front
}

type tallied struct {
	key   string
	spent *rate.Limiter
}

func newTally(burst int, within time.Duration) *tally {
	t := &tally{known: make(map[string]*list.Element), recent: list.New()}
	t.adjust(burst, within)
	return t
}

// adjust changes the bounds, also for those who are known.
func (t *tally) adjust(burst int, within time.Duration) {
	t.burst, t.rate = burst, rate.Limit(float64(burst)/within.Seconds())
	for _, e := range t.known {
		e.Value.(*tallied).spent.SetLimit(t.rate)
		e.Value.(*tallied).spent.SetBurst(burst)
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

// spend counts once more for each key, and reports whether all of them may.
func (t *tally) spend(now time.Time, keys ...string) bool {
	may := true
	for _, key := range keys {
		may = t.limiter(key).AllowN(now, 1) && may
	}
	return may
}

// wait is how long it is until each of the keys may do it again.
func (t *tally) wait(now time.Time, keys ...string) (longest time.Duration) {
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
	one := &tallied{key, rate.NewLimiter(t.rate, t.burst)}
	t.known[key] = t.recent.PushFront(one)
	if t.recent.Len() > maxVisitors {
		delete(t.known, t.recent.Remove(t.recent.Back()).(*tallied).key)
	}
	return one.spent
}
