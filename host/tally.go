package host

import (
	"cmp"
	"time"

	"golang.org/x/time/rate"
)

// maxVisitors is how many names and addresses a tally remembers at least, and half
// of how many at most; some 250 bytes each. A forgotten address has its full
// allowance again, so an attacker who wants that must come from more addresses than this.
const maxVisitors = 16 << 10

// tally bounds what names and addresses do again and again: each may do it burst
// times, and has that many back after within. Every call takes the same time,
// however many are known. It belongs to the goroutine of the shard.
type tally struct {
	burst int
	rate  rate.Limit
	// recent are those who came last. When they are maxVisitors they become older,
	// and those who were older are forgotten.
	recent, older map[string]*rate.Limiter
}

func newTally(burst int, within time.Duration) *tally {
	t := &tally{recent: make(map[string]*rate.Limiter)}
	t.adjust(burst, within)
	return t
}

// adjust changes the bounds, also for those who are known.
func (t *tally) adjust(burst int, within time.Duration) {
	t.burst, t.rate = burst, rate.Limit(float64(burst)/within.Seconds())
	for _, known := range []map[string]*rate.Limiter{t.recent, t.older} {
		for _, spent := range known {
			spent.SetLimit(t.rate)
			spent.SetBurst(burst)
		}
	}
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
		if spent := t.known(key); spent != nil {
			r := spent.ReserveN(now, 1)
			longest = max(longest, r.DelayFrom(now))
			r.CancelAt(now)
		}
	}
	return longest
}

// known returns what a key has spent; nil: nothing is remembered of it.
func (t *tally) known(key string) *rate.Limiter { return cmp.Or(t.recent[key], t.older[key]) }

func (t *tally) limiter(key string) *rate.Limiter {
	if spent := t.recent[key]; spent != nil {
		return spent
	}
	spent := t.older[key]
	if spent == nil {
		spent = rate.NewLimiter(t.rate, t.burst)
	}
	if len(t.recent) == maxVisitors {
		t.recent, t.older = make(map[string]*rate.Limiter), t.recent
	}
	t.recent[key] = spent
	return spent
}
