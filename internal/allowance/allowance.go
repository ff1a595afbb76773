// Package allowance bounds how much of something may happen: so much at once, and then
// as much as comes back with time.
package allowance

import "time"

// Allowance is the used part of a bound. It is counted in time: each use costs some, all
// of which comes back as time passes. The zero value is unused. The caller
// passes now, which never goes back, and the bound, which may change.
type Allowance struct {
	whole time.Duration // when all that was used has come back
}

// Left returns how much of most may be used; it is below 0 after a Use of more.
func (a *Allowance) Left(now, most time.Duration) time.Duration { return most - max(a.whole-now, 0) }

// Use takes cost, whether or not so much is left.
func (a *Allowance) Use(now, cost time.Duration) { a.whole = max(a.whole, now) + cost }

// Take takes cost if so much of most is left. Otherwise it takes nothing and returns how
// long that will last.
func (a *Allowance) Take(now, cost, most time.Duration) (wait time.Duration) {
	if wait = max(cost-a.Left(now, most), 0); wait == 0 {
		a.Use(now, cost)
	}
	return wait
}
