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

// tally bounds how often a name or an address may do something: burst times at once,
// and once more after each. Every call takes the same time,
// however many are known. It belongs to the goroutine of the shard.
type tally struct {
	burst int           // so many times at once
	each  time.Duration // after which it may be done once more
	began time.Time
	// recent are the visitors that came last. When they are maxVisitors they become older,
	// and those that were older are forgotten.
	recent, older map[string]*allowance.Allowance
}

func newTally(burst int, whole time.Duration) *tally {
	t := &tally{began: time.Now(), recent: make(map[string]*allowance.Allowance)}
	t.adjust(burst, whole)
	return t
}

// adjust changes the bounds, also for known visitors. A burst of 0 allows nothing.
func (t *tally) adjust(burst int, whole time.Duration) {
	t.burst, t.each = burst, whole/time.Duration(max(burst, 1))
}

// most is the bound of the allowances.
func (t *tally) most() time.Duration { return time.Duration(t.burst) * t.each }

// spend counts once more for each key, and reports whether all of them may.
func (t *tally) spend(now time.Time, keys ...string) bool {
	may := true
	for _, key := range keys {
		may = t.spent(key).Take(now.Sub(t.began), t.each, t.most()) == 0 && may
	}
	return may
}

// wait is how long it is until each of the keys may do it again.
func (t *tally) wait(now time.Time, keys ...string) (longest time.Duration) {
	for _, key := range keys {
		if spent := t.known(key); spent != nil {
			longest = max(longest, t.each-spent.Left(now.Sub(t.began), t.most()))
		}
	}
	return longest
}

// known returns the allowance of a key; nil: nothing is remembered of it.
func (t *tally) known(key string) *allowance.Allowance { return cmp.Or(t.recent[key], t.older[key]) }

// spent is the allowance of a key, which is remembered from now on.
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
