package mapxfer

import (
	"slices"
	"time"
)

// state is the stage of a player's download.
type state uint8

const (
	idle    state = iota // has not reported
	refused              // wants the map, may not have it
	waiting              // wants the map, all places are taken
	active               // 0x3F was sent
	done                 // holds the map
	removed              // about to leave; their packets are ignored
)

const (
	// maxIgnored invalid packets are tolerated; one more removes the player.
	maxIgnored = 32
	// maxStarts bounds how often one player may fetch the whole map.
	maxStarts = 4
	// maxRewinds bounds the 0x45 in a row that bring no byte further.
	maxRewinds = 8
	// resendFactor bounds the bytes sent again, in multiples of the map.
	resendFactor = 8
	// declineGrace is how long a client that answers 0x3F with 0x45 may take to
	// acknowledge a part after all. Then the 0x45 was a refusal.
	declineGrace = 2 * time.Second
	// retryStep, and two round trips, is how long more 0x45 belong to the same loss.
	retryStep = 250 * time.Millisecond
	// maxBulk bounds the bytes that are held back until they fill a write.
	maxBulk = 64 << 10
	// queueTime bounds the parts that wait in the host's out queue, at the player's rate.
	queueTime = 100 * time.Millisecond
)

// player is one player's download.
//
//	0 … acked … next … high … size
//
// Up to acked they hold the map; up to next the parts were handed out in this
// pass; up to high they were handed out before a 0x45 took next back.
type player struct {
	pid     uint8
	state   state
	allowed bool          // by an admin
	since   time.Duration // when refused

	base, acked, next, high uint32
	percent                 uint8
	began                   time.Duration
	moved                   time.Duration // last progress, or first byte in flight

	figures Figures
	sent    int64  // bytes handed out, those sent again too
	got     int64  // sent, and what others had got before, to share by
	marks   []mark // bytes on the way whose round trip is measured, in order
	line    *line  // while active
	bucket  bucket
	filling bool // until there is no more room

	recovering bool // between a 0x45 and the next progress
	repeated   bool // another 0x45 has come meanwhile
	rewindAt   time.Duration
	retryAt    time.Duration
	doubted    bool  // the last 0x45 came before any progress
	rewinds    int   // since the last progress
	useless    int64 // bytes on the way that the client will throw away
	burst      int64 // bound of the window since the begin or a 0x45
	resent     uint64

	ignored, starts int
}

// mark is when how many bytes had been sent.
type mark struct {
	at   time.Duration
	sent int64
}

// maxMarks bounds the round trips that are measured at the same time.
const maxMarks = 8

// mark counts n bytes and begins to measure their round trip, unless that of others
// has just begun. Of bytes that leave together the last ones are measured: the
// queue that they make themselves counts.
func (p *player) mark(now time.Duration, n int64) {
	p.sent += n
	k := len(p.marks)
	switch {
	case k > 0 && p.marks[k-1].at == now:
		p.marks[k-1].sent = p.sent
	case k == 0 || k < maxMarks && now-p.marks[k-1].at >= p.line.rtt/maxMarks:
		p.marks = append(p.marks, mark{now, p.sent})
	}
}

// roundTrip is how long the bytes took that have arrived last; 0: not measured. The
// kernel's own figure is an average over its last acknowledgements, which is
// seconds old where a line carries a few parts in a round trip.
func (p *player) roundTrip(now time.Duration) (rtt time.Duration) {
	// In the kernel there are frame headers and other packets, too.
	arrived := p.sent - p.figures.inflight()*63/64 + PartLen/2
	for len(p.marks) > 0 && p.marks[0].sent <= arrived {
		rtt = now - p.marks[0].at
		p.marks = slices.Delete(p.marks, 0, 1)
	}
	return rtt
}

// begin starts the exchange at the byte the player reported.
func (p *player) begin(now time.Duration, cfg *Config) {
	*p = player{
		pid: p.pid, state: active, allowed: p.allowed, percent: p.percent,
		base: p.acked, acked: p.acked, next: p.acked, high: p.acked,
		began: now, moved: now, figures: p.figures, bucket: bucket{rate: cfg.PlayerRate},
		burst: firstWindow, ignored: p.ignored, starts: p.starts + 1,
	}
}

// progress takes the acknowledged mark to held.
func (p *player) progress(now time.Duration, held uint32) {
	p.acked, p.next = held, max(p.next, held)
	p.moved = now
	p.recovering, p.repeated, p.doubted, p.rewinds = false, false, false, 0
}

// rewind goes back to the acknowledged mark.
func (p *player) rewind(now time.Duration) {
	// The client throws away the parts after a bad one: less may be on its way.
	p.burst, p.useless = max(p.unanswered()/2, firstWindow), p.figures.inflight()
	p.resent += uint64(p.unanswered())
	p.next = p.acked
	p.recovering, p.repeated = true, false
	p.rewinds++
	p.rewindAt = now
	// The answer to parts sent again comes behind everything on the line.
	p.retryAt = now + 2*p.figures.RTT + retryStep
}

// unanswered returns how many bytes were handed out and are not acknowledged.
func (p *player) unanswered() int64 { return int64(p.next - p.acked) }

// share is an equal part of the line's window. It is less at first, as in the
// kernel, or parts would wait there.
func (p *player) share() int64 { return min(p.line.size/int64(p.line.players), p.burst) }

// room is how many bytes the client, the line and the out queue take now. A player
// may have more than a share on the way, since acknowledgements may come in pairs
// or late, and has half of it whatever others have there and do not take.
func (p *player) room(cfg *Config) int64 {
	most, f := int64(cfg.MaxWindow), &p.figures
	if f.RTT == 0 {
		return min(most, fixedWindow) - p.unanswered()
	}
	share, inflight := p.share(), f.inflight()
	queue := max(int64(float64(share)*min(float64(queueTime)/float64(f.RTT), 1)), leastWindow)
	window := min(share*3/2+2*PartLen, p.burst)
	line := max(p.line.size-p.line.inflight, share/2-inflight)
	return min(most-p.unanswered(), window-inflight, line, queue-int64(f.Queued))
}

// open reports whether parts may be sent. On a fast line one write for each
// acknowledgement would cost more than the parts, so room accumulates before it is
// used.
func (p *player) open(now time.Duration, cfg *Config) bool {
	rest := int64(cfg.Size - p.next)
	if p.state != active || rest == 0 {
		return false
	}
	least := int64(PartLen)
	if !p.filling {
		least = max(min(p.share()/8, int64(cfg.MaxWindow)/8, maxBulk), PartLen)
	}
	p.filling = p.room(cfg) >= min(least, rest)
	return p.filling && p.bucket.allows(now, min(PartLen, rest))
}
