// Package allowance implements token buckets for rate limits: an Allowance for a single subject and a keyed
// Limiter. Packages game, lobby, host, mapxfer and others use it to limit what players and strangers may do.
// It has no clock of its own.
package allowance

import "time"

// Allowance is the used part of a token bucket, measured in time: each use has a cost, and the used time is
// refilled as time passes. The zero value is a full bucket. The caller passes now, which must not decrease,
// and the capacity, which may change between calls.
type Allowance struct {
	whole time.Duration // time at which the bucket is full again
}

// Left returns how much of the capacity most is available; it is negative after overuse.
func (a *Allowance) Left(now, most time.Duration) time.Duration { return most - max(a.whole-now, 0) }

// Use consumes cost, even if less is available.
func (a *Allowance) Use(now, cost time.Duration) { a.whole = max(a.whole, now) + cost }

// Take consumes cost if it is available within the capacity most, and returns 0. Otherwise it consumes
// nothing and returns how long to wait.
func (a *Allowance) Take(now, cost, most time.Duration) (wait time.Duration) {
	if wait = max(cost-a.Left(now, most), 0); wait == 0 {
		a.Use(now, cost)
	}
	return wait
}
