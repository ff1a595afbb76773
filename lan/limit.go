package lan

import (
	"net/netip"
	"time"
)

// An answer is ten times as long as its search, and the source of a search can
// be forged. These bounds keep a host from being used to flood somebody, and
// are far above what a room full of clients behind one address needs.
const (
	sourceRate  = 50 // answers per second to one address
	sourceBurst = 100
	totalRate   = 500 // answers per second to everybody
	totalBurst  = 1000
	// maxSources bounds the memory for addresses that asked of late.
	maxSources = 4096
)

// bucket holds tokens that come back at a steady rate.
type bucket struct {
	tokens float64
	at     time.Time
}

// limiter grants answers by source address and in total.
type limiter struct {
	total   bucket
	sources map[netip.Addr]*bucket
}

func newLimiter() *limiter {
	return &limiter{total: bucket{tokens: totalBurst}, sources: map[netip.Addr]*bucket{}}
}

// take grants up to n answers to an address. The total is looked at first, so
// that a flood of forged sources cannot fill the table.
func (l *limiter) take(now time.Time, from netip.Addr, n int) int {
	l.total.refill(now, totalRate, totalBurst)
	n = min(n, int(l.total.tokens))
	if n <= 0 {
		return 0
	}
	b := l.sources[from]
	if b == nil {
		if len(l.sources) >= maxSources && !l.sweep(now) {
			return 0
		}
		b = &bucket{tokens: sourceBurst, at: now}
		l.sources[from] = b
	}
	b.refill(now, sourceRate, sourceBurst)
	n = min(n, int(b.tokens))
	b.tokens -= float64(n)
	l.total.tokens -= float64(n)
	return n
}

// sweep forgets the addresses that have all their tokens back, and reports
// whether that made room.
func (l *limiter) sweep(now time.Time) bool {
	for addr, b := range l.sources {
		if b.refill(now, sourceRate, sourceBurst); b.tokens >= sourceBurst {
			delete(l.sources, addr)
		}
	}
	return len(l.sources) < maxSources
}

func (b *bucket) refill(now time.Time, rate, burst float64) {
	if gone := now.Sub(b.at).Seconds(); gone > 0 {
		b.tokens = min(burst, b.tokens+gone*rate)
		b.at = now
	}
}
