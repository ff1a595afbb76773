package mapxfer

import "time"

const (
	// burst is how much of its rate a bucket holds: it bridges a late Tick, and is
	// short enough that nobody notices the rate being left.
	burst = 50 * time.Millisecond
	// minBurst lets a bucket of any rate pay for two parts.
	minBurst = 2 * PartLen
)

// bucket is a token bucket. Tokens are byte-nanoseconds, so that no fraction of a
// byte gets lost however often it is filled. The zero value has no bound.
type bucket struct {
	rate  int64 // bytes per second; 0 is no bound
	depth int64 // byte-nanoseconds
	held  int64 // byte-nanoseconds
	at    time.Duration
}

// maxRate keeps a bucket's arithmetic within an int64; nobody has such a line.
const maxRate = 1 << 32

func newBucket(rate int64, now time.Duration) bucket {
	rate = min(max(rate, 0), maxRate)
	depth := max(rate*int64(burst)/int64(time.Second), minBurst) * int64(time.Second)
	return bucket{rate: rate, depth: depth, held: depth, at: now}
}

// fill adds what has come in since the last call.
func (b *bucket) fill(now time.Duration) {
	passed := int64(min(now-b.at, time.Second))
	b.held, b.at = min(b.held+passed*b.rate, b.depth), now
}

// has is how many bytes may go now.
func (b *bucket) has() int64 {
	if b.rate == 0 {
		return noBound
	}
	return b.held / int64(time.Second)
}

// take pays for n bytes.
func (b *bucket) take(n int64) {
	if b.rate != 0 {
		b.held -= n * int64(time.Second)
	}
}
