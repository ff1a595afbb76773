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
const maxRate = 1 << 36

func newBucket(rate int64, now time.Duration) bucket {
	rate = min(max(rate, 0), maxRate)
	depth := max(rate*int64(burst)/int64(time.Second), minBurst) * int64(time.Second)
	return bucket{rate: rate, depth: depth, held: depth, at: now}
}

// fill adds what has come in since the last call.
func (b *bucket) fill(now time.Duration) {
	if b.rate == 0 || now <= b.at {
		return
	}
	missing := (b.depth - b.held) / b.rate
	if passed := int64(now - b.at); passed <= missing {
		b.held += passed * b.rate
	} else {
		b.held = b.depth
	}
	b.at = now
}

// has is how many bytes may go now.
func (b *bucket) has() int64 {
	if b.rate == 0 {
		return 1 << 40
	}
	return b.held / int64(time.Second)
}

// take pays for n bytes.
func (b *bucket) take(n int64) {
	if b.rate != 0 {
		b.held -= n * int64(time.Second)
	}
}

// ready is when the bucket will hold n bytes.
func (b *bucket) ready(n int64) time.Duration {
	missing := n*int64(time.Second) - b.held
	if b.rate == 0 || missing <= 0 {
		return b.at
	}
	return b.at + time.Duration((missing+b.rate-1)/b.rate)
}
