package mapxfer

import "time"

const (
	// lateLimit is the lateness of a turn from which downloads slow down.
	lateLimit = 2 * time.Millisecond
	// minPause and maxPause limit the pause after a late turn, which is twice the turn's lateness.
	minPause = 10 * time.Millisecond
	maxPause = 200 * time.Millisecond
	// meterTime is the interval over which sent bytes are measured, and the minimum time between two rate
	// cuts, so that a cut can take effect.
	meterTime = 100 * time.Millisecond
	// minYield is the total rate in bytes per second that downloads always keep.
	minYield = 256 << 10
	// maxRate is the rate above which the limit is removed; no line is that fast.
	maxRate = 1 << 32
)

// lateBackoff slows down the downloads of one lobby while turns of running games are late: first a short pause,
// then half the previous rate. The rate grows by an eighth per meterTime without a late turn, until the limit
// is no longer needed.
type lateBackoff struct {
	until  time.Duration
	cutAt  time.Duration
	bucket bucket // rate 0 means that no limit is in force

	slot    time.Duration // start of the current interval
	metered int64
	speed   int64 // bytes per second in the previous interval
}

// late slows downloads down after a turn that was late by the given time.
func (y *lateBackoff) late(now, by time.Duration) {
	if by < lateLimit {
		return
	}
	y.measure(now)
	y.until = max(y.until, now+min(max(2*by, minPause), maxPause))
	if y.bucket.rate > 0 && now-y.cutAt < meterTime {
		return
	}
	speed := max(y.speed, int64(float64(y.metered)/meterTime.Seconds()))
	if y.bucket.rate > 0 {
		speed = min(speed, y.bucket.rate)
	} else {
		y.bucket.used.Use(now, burst) // start with an empty bucket
	}
	y.bucket.rate, y.cutAt = max(speed/2, minYield), now
}

// measure updates the speed and the rate for the time now.
func (y *lateBackoff) measure(now time.Duration) {
	if passed := now - y.slot; passed >= meterTime {
		y.speed = int64(float64(y.metered) / passed.Seconds())
		y.slot, y.metered = now, 0
		y.recover(now)
	}
}

// recover raises the rate, and removes the limit once it is far above the actual speed.
func (y *lateBackoff) recover(now time.Duration) {
	if y.bucket.rate == 0 || now-y.cutAt < meterTime {
		return
	}
	rate := y.bucket.rate + y.bucket.rate/8
	if rate >= maxRate || y.speed < rate/4 && now-y.cutAt > time.Second {
		y.bucket = bucket{}
		return
	}
	y.bucket.rate = rate
}

// take counts and consumes n bytes.
func (y *lateBackoff) take(now time.Duration, n int64) {
	y.metered += n
	y.bucket.take(now, n)
}
