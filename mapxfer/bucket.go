package mapxfer

import (
	"time"

	"w3host/internal/allowance"
)

const (
	// burst is how much of its rate a bucket holds: it bridges a late Tick, and is
	// short enough that nobody notices the rate being left.
	burst = 50 * time.Millisecond
	// minBurst lets a bucket of any rate pay for two parts.
	minBurst = 2 * PartLen
)

// bucket bounds the map bytes of a player, a lobby or a time. The zero value has no bound.
type bucket struct {
	rate int64 // bytes per second; 0 is no bound
	used allowance.Allowance
}

// cost is the time in which n bytes come back, rounded up: the rate is never exceeded.
func (b *bucket) cost(n int64) time.Duration {
	return time.Duration((n*int64(time.Second) + b.rate - 1) / b.rate)
}

// allows reports whether n bytes may go now.
func (b *bucket) allows(now time.Duration, n int64) bool {
	return b.rate == 0 || b.used.Left(now, max(burst, b.cost(minBurst))) >= b.cost(n)
}

// take pays for n bytes.
func (b *bucket) take(now time.Duration, n int64) {
	if b.rate != 0 {
		b.used.Use(now, b.cost(n))
	}
}
