package mapxfer

import (
	"slices"
	"time"
)

const (
	// firstWindow is what a player gets before anything is known about his line.
	firstWindow = 10 * PartLen
	// floorWindow is the least that may be in flight, however slow the line.
	floorWindow = 2 * PartLen
	// maxFloor ends the growth of the floor: older hosts had 100 parts in flight,
	// so no client waits for more before it acknowledges.
	maxFloor = 128 * PartLen

	// slackBytes and slackTime, added up, stand in the queue at the narrowest point
	// of the line, so that it never runs dry between two acknowledgements. The
	// fixed share makes players on one line converge; the timed one carries a LAN,
	// where the round trip is far shorter than a scheduling delay.
	slackBytes = 16 * PartLen
	slackTime  = 20 * time.Millisecond
	// maxSlack bounds both on slow lines.
	maxSlack = 80 * time.Millisecond

	// rateRounds is how many rounds a measured rate counts.
	rateRounds = 8
	// flatRounds without growth say that the line is full.
	flatRounds = 3
	// minRound keeps the rounds of a LAN from being too short to measure.
	minRound = 20 * time.Millisecond
)

// window decides how many bytes may be on their way to one player. It models the
// line by the two numbers that describe it: the rate at which acknowledgements
// come in, and the shortest round trip. Their product fills the line; a little
// more keeps it full. It starts with a few parts and doubles each round trip,
// until the round trip grows (a queue builds up) or the rate stops growing.
//
// The zero value is not ready; see newWindow.
type window struct {
	size  int64
	floor int64
	max   int64

	minRTT   time.Duration // 0 until measured
	probing  bool
	probeMin time.Duration // shortest round trip while probing

	rateMax    int64
	rates      [rateRounds]int64 // best rate of each round, bytes per second
	round      int
	roundEnd   int64 // in delivered bytes
	roundStart time.Duration

	growing bool // still doubling
	best    int64
	flat    int // rounds in which best did not grow

	sent        int64 // all bytes that ever left, in their order on the line
	delivered   int64 // how far of these have arrived
	deliveredAt time.Duration
	limited     bool          // what arrived last was held back by something else
	firstSent   time.Duration // when the bytes that arrived last had left
	flights     flights

	// Acknowledgements that come in lumps leave the line idle in between, unless
	// a lump more is in flight.
	lump      int64
	lumpStart time.Duration
	lumpAcked int64
	lumps     [rateRounds]int64
}

func newWindow(maxSize int64, now time.Duration) window {
	return window{
		size: firstWindow, floor: floorWindow, max: max(maxSize, floorWindow), growing: true,
		deliveredAt: now, roundStart: now, lumpStart: now,
	}
}

// send notes that n bytes leave now. limited says that a rate limit or the map's
// end, not the window, decided how many: such a stretch measures the limit, not
// the line. The first part gets a mark of its own: its round trip is the shortest.
func (w *window) send(now time.Duration, first, n int64, limited bool) {
	if w.sent == w.delivered {
		w.firstSent, w.deliveredAt = now, now
	}
	m := flight{
		end: w.sent + first, at: now, delivered: w.delivered, deliveredAt: w.deliveredAt,
		firstSent: w.firstSent, limited: limited,
	}
	w.flights.push(m, w.inflight())
	w.sent += n
	if n > first {
		m.end = w.sent
		w.flights.push(m, w.inflight())
	}
}

// ack notes that n more bytes have arrived. resumed says that some of them were
// useless and passed without a word: they measure the rate, but neither the round
// trip of an empty line nor a lump.
func (w *window) ack(now time.Duration, n int64, resumed bool) {
	w.delivered += n
	if m, ok := w.flights.pop(w.delivered); ok {
		w.limited = m.limited
		if !resumed {
			w.sampleRTT(now - m.at)
		}
		w.sampleRate(now, m)
		w.firstSent = m.at
	}
	if resumed {
		w.lumpStart, w.lumpAcked = now, 0
	} else {
		w.sampleLump(now, n)
	}
	w.deliveredAt = now
	if w.delivered >= w.roundEnd && now-w.roundStart >= minRound {
		w.nextRound(now)
	}
	w.resize(n)
}

// stalled widens the window of a client that acknowledges nothing: it may be
// waiting for more parts before it does.
func (w *window) stalled() {
	w.floor = min(w.floor*2, maxFloor, w.max)
	w.size = max(w.size, w.floor)
}

// limit is how many bytes may be in flight now. While the round trip is measured
// anew it is less than the line holds, so that the queue empties.
func (w *window) limit() int64 {
	if !w.probing {
		return w.size
	}
	return min(max(w.bytesIn(w.minRTT)/3+w.lump, w.floor), w.size)
}

// startProbe empties the queue for a while; how long is for probeTime to say.
func (w *window) startProbe() {
	// On a short line the slack is all there is, and the round trip hardly counts.
	w.probing, w.probeMin = w.minRTT > slackTime && !w.growing, 0
}

// endProbe takes the round trip measured meanwhile, even if it is a longer one.
func (w *window) endProbe() {
	if w.probing && w.probeMin > 0 {
		w.minRTT = w.probeMin
	}
	w.probing = false
}

// inflight is what has left and not arrived, parts that a 0x45 made useless
// included.
func (w *window) inflight() int64 { return w.sent - w.delivered }

// rate is the measured speed of the line in bytes per second; 0 before anything
// is measured.
func (w *window) rate() int64 { return w.rateMax }

// bytesIn is what the line carries in d.
func (w *window) bytesIn(d time.Duration) int64 {
	return int64(float64(w.rateMax) * d.Seconds())
}

func (w *window) sampleRTT(rtt time.Duration) {
	rtt = max(rtt, time.Microsecond)
	if w.minRTT == 0 || rtt < w.minRTT {
		w.minRTT = rtt
	}
	if w.probing && (w.probeMin == 0 || rtt < w.probeMin) {
		w.probeMin = rtt
	}
	if w.growing && rtt > w.minRTT+max(w.minRTT/4, maxSlack/2) {
		w.growing = false
	}
}

// sampleRate takes what arrived since m left, over the longer of the times that
// sending and acknowledging took, so that neither bursts nor lumps look fast.
func (w *window) sampleRate(now time.Duration, m flight) {
	took := max(now-m.deliveredAt, m.at-m.firstSent)
	if took < w.minRTT || took <= 0 {
		return
	}
	rate := int64(float64(w.delivered-m.delivered) / took.Seconds())
	if m.limited && rate < w.rateMax {
		return
	}
	w.rates[w.round] = max(w.rates[w.round], rate)
	w.rateMax = max(w.rateMax, rate)
}

// sampleLump measures how far acknowledgements run ahead of the rate.
func (w *window) sampleLump(now time.Duration, n int64) {
	expected := w.bytesIn(now - w.lumpStart)
	if w.lumpAcked <= expected {
		w.lumpStart, w.lumpAcked, expected = now, 0, 0
	}
	w.lumpAcked += n
	if w.growing {
		return
	}
	lump := min(w.lumpAcked-expected, maxFloor)
	w.lumps[w.round] = max(w.lumps[w.round], lump)
	w.lump = max(w.lump, lump)
}

func (w *window) nextRound(now time.Duration) {
	if w.growing && !w.limited {
		if w.rateMax >= w.best+w.best/4 {
			w.best, w.flat = w.rateMax, 0
		} else if w.flat++; w.flat == flatRounds {
			w.growing = false
		}
	}
	w.round = (w.round + 1) % rateRounds
	w.rates[w.round], w.lumps[w.round] = 0, 0
	w.rateMax, w.lump = slices.Max(w.rates[:]), slices.Max(w.lumps[:])
	w.roundStart, w.roundEnd = now, w.sent
	w.lumpStart, w.lumpAcked = now, 0 // or a rate slightly too low would add up
}

func (w *window) resize(n int64) {
	w.floor = floorWindow
	if w.growing {
		if !w.limited {
			w.size += n
		}
	} else {
		slack := min(slackBytes+w.bytesIn(slackTime), w.bytesIn(maxSlack))
		target := w.bytesIn(w.minRTT) + max(slack, w.lump) + PartLen
		w.size = min(target, w.size+n)
	}
	w.size = min(max(w.size, w.floor), w.max)
}
