package mapxfer

import "time"

const (
	// lateLimit is how late a turn may be before transfers make way.
	lateLimit = 2 * time.Millisecond
	// minPause and maxPause bound the silence after a late turn; it is twice as
	// long as the turn was late.
	minPause = 10 * time.Millisecond
	maxPause = 200 * time.Millisecond
	// meterTime is the stretch over which the handed out bytes are metered, and
	// the least time between two cuts of the rate, so that one cut can show.
	meterTime = 100 * time.Millisecond
	// minYield is the total rate that transfers always keep.
	minYield = 256 << 10
	// maxRate bounds the growth of the rate; nobody has such a line.
	maxRate = 1 << 32
)

// yield makes transfers of one lobby step back while turns of running games are
// late: a short silence, then half the rate they had. The rate grows by an eighth
// in every meterTime without a late turn, until it bounds nothing any more.
type yield struct {
	until  time.Duration
	cutAt  time.Duration
	bucket bucket // rate 0: no cut in force

	slot    time.Duration // start of the stretch being metered
	metered int64
	speed   int64 // bytes per second in the stretch before
}

// late slows transfers down after a turn that went out late by so much.
func (y *yield) late(now, by time.Duration) {
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
		y.bucket.used.Use(now, burst) // a cut begins with nothing
	}
	y.bucket.rate, y.cutAt = max(speed/2, minYield), now
}

// measure brings the speed and the rate up to now.
func (y *yield) measure(now time.Duration) {
	if passed := now - y.slot; passed >= meterTime {
		y.speed = int64(float64(y.metered) / passed.Seconds())
		y.slot, y.metered = now, 0
		y.recover(now)
	}
}

// recover raises the rate again, and removes it when it is far above the rate used.
func (y *yield) recover(now time.Duration) {
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

// take meters and pays for n bytes.
func (y *yield) take(now time.Duration, n int64) {
	y.metered += n
	y.bucket.take(now, n)
}
