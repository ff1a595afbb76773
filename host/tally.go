package host

import (
	"cmp"
	"time"

	"w3host/internal/allowance"
)

// maxVisitors is how many names and addresses a tally remembers at least, and half
// of how many at most; some 100 bytes each. A forgotten address has its full
// allowance again, so an attacker who wants that must come from more addresses than this.
const maxVisitors = 16 << 10

// pace is how often something may be done: burst times at once, and one more after each.
type pace struct {
	burst int
	each  time.Duration
}

// within is the pace of which all comes back in that time. A burst of 0 allows nothing.
func within(burst int, whole time.Duration) pace {
	return pace{burst, whole / time.Duration(max(burst, 1))}
}

// most is the bound of an allowance that is used at the pace.
func (p pace) most() time.Duration { return time.Duration(p.burst) * p.each }

// take uses one time of an allowance; false: none is left.
func (p pace) take(a *allowance.Allowance, now time.Duration) bool {
	return a.Take(now, p.each, p.most()) == 0
}

// wait is how long it is until take does not fail.
func (p pace) wait(a *allowance.Allowance, now time.Duration) time.Duration {
	return max(p.each-a.Left(now, p.most()), 0)
}

// tally bounds what names and addresses do again and again: each may do it burst
// times, and has that many back after within. Every call takes the same time,
// however many are known. It belongs to the goroutine of the shard.
type tally struct {
	pace  pace
	began time.Time
	// recent are those who came last. When they are maxVisitors they become older,
	// and those who were older are forgotten.
	recent, older map[string]*allowance.Allowance
}

func newTally(burst int, whole time.Duration) *tally {
	return &tally{pace: within(burst, whole), began: time.Now(), recent: make(map[string]*allowance.Allowance)}
}

// adjust changes the bounds, also for those who are known.
func (t *tally) adjust(burst int, whole time.Duration) { t.pace = within(burst, whole) }

// spend counts once more for each key, and reports whether all of them may.
func (t *tally) spend(now time.Time, keys ...string) bool {
	may := true
	for _, key := range keys {
		may = t.pace.take(t.spent(key), now.Sub(t.began)) && may
	}
	return may
}

// wait is how long it is until each of the keys may do it again.
func (t *tally) wait(now time.Time, keys ...string) (longest time.Duration) {
	for _, key := range keys {
		if spent := t.known(key); spent != nil {
			longest = max(longest, t.pace.wait(spent, now.Sub(t.began)))
		}
	}
	return longest
}

// known returns what a key has spent; nil: nothing is remembered of it.
func (t *tally) known(key string) *allowance.Allowance { return cmp.Or(t.recent[key], t.older[key]) }

// spent is what a key has spent, which is remembered from now on.
func (t *tally) spent(key string) *allowance.Allowance {
	if spent := t.recent[key]; spent != nil {
		return spent
	}
	spent := cmp.Or(t.older[key], new(allowance.Allowance))
	if len(t.recent) == maxVisitors {
		t.recent, t.older = make(map[string]*allowance.Allowance), t.recent
	}
	t.recent[key] = spent
	return spent
}
