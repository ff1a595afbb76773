package mapxfer

import (
	"time"

	"w3host/internal/allowance"
)

const (
	// burst is the time for which a bucket saves up its rate. It compensates for a late Tick and is short
	// enough not to exceed the rate noticeably.
	burst = 50 * time.Millisecond
	// minBurst is the smallest capacity of a bucket in bytes, enough for two parts at any rate.
	minBurst = 2 * PartLen
)

// bucket is a token bucket for the map bytes of a player or a lobby. The zero value does not limit anything.
type bucket struct {
	rate int64 // bytes per second; 0 means no limit
	used allowance.Allowance
}

// cost returns the time in which n bytes become available again, rounded up so that the rate is never
// exceeded.
func (b *bucket) cost(n int64) time.Duration {
	return time.Duration((n*int64(time.Second) + b.rate - 1) / b.rate)
}

// allows reports whether n bytes may be sent now.
func (b *bucket) allows(now time.Duration, n int64) bool {
	return b.rate == 0 || b.used.Left(now, max(burst, b.cost(minBurst))) >= b.cost(n)
}

// take consumes n bytes.
func (b *bucket) take(now time.Duration, n int64) {
	if b.rate != 0 {
		b.used.Use(now, b.cost(n))
	}
}
