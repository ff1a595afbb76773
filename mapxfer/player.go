package mapxfer

import (
	"slices"
	"time"
)

// state is the stage of a player's download.
type state uint8

const (
	idle    state = iota // has not reported yet
	refused              // lacks the map and is not allowed to download it
	waiting              // queued for a download slot
	active               // downloading: 0x3F was sent
	done                 // has the map
	removed              // being removed; packets are ignored
)

const (
	// maxIgnored is the number of invalid packets tolerated from a player.
	maxIgnored = 32
	// maxStarts limits how often one player may start a download.
	maxStarts = 4
	// maxRewinds limits consecutive 0x45 without progress.
	maxRewinds = 8
	// resendFactor limits retransmitted bytes, as a multiple of the map's size.
	resendFactor = 8
	// declineGrace is how long a client that answers 0x3F with 0x45 may take to acknowledge a part. After
	// that, the 0x45 counts as declining the download.
	declineGrace = 2 * time.Second
	// retryStep plus two round trips is the time in which further 0x45 belong to the same loss.
	retryStep = 250 * time.Millisecond
	// maxBulk limits the bytes that are held back to fill a larger write.
	maxBulk = 64 << 10
	// queueTime limits the parts in the host's out queue, in time at the player's rate.
	queueTime = 100 * time.Millisecond
)

// player is one player's download. Its offsets are ordered:
//
//	0 … acked … next … high … size
//
// acked is the end of the data the client has, next the end of the data sent in this pass, and high the end
// of the data sent before a 0x45 moved next back.
type player struct {
	pid     uint8
	state   state
	allowed bool          // an admin allowed the download
	since   time.Duration // time of the refusal

	base, acked, next, high uint32
	percent                 uint8
	began                   time.Duration
	moved                   time.Duration // time of the last progress or of the first byte in flight

	figures Figures
	sent    int64      // bytes sent, including retransmissions
	got     int64      // sent, plus what others had received before this player started; used for fair shares
	marks   []sendMark // bytes in flight whose round trip is being measured, in order
	line    *line      // set while active
	bucket  bucket
	filling bool // parts are being sent until the window is used up

	recovering bool // between a 0x45 and the next progress
	repeated   bool // another 0x45 has arrived meanwhile
	rewindAt   time.Duration
	retryAt    time.Duration
	doubted    bool  // the last 0x45 arrived before any progress
	rewinds    int   // number of 0x45 since the last progress
	useless    int64 // bytes in flight that the client will discard
	burst      int64 // limit for the window since the start or the last 0x45
	resent     uint64

	ignored, starts int
}

// sendMark records a send time and the number of bytes sent by then.
type sendMark struct {
	at   time.Duration
	sent int64
}

// maxMarks limits the round trips measured at the same time.
const maxMarks = 8

// mark counts n sent bytes and starts to measure their round trip, unless a measurement has just begun. Among
// bytes sent together, the last ones are measured, so that the queue they cause is included.
func (p *player) mark(now time.Duration, n int64) {
	p.sent += n
	k := len(p.marks)
	switch {
	case k > 0 && p.marks[k-1].at == now:
		p.marks[k-1].sent = p.sent
	case k == 0 || k < maxMarks && now-p.marks[k-1].at >= p.line.rtt/maxMarks:
		p.marks = append(p.marks, sendMark{now, p.sent})
	}
}

// roundTrip returns the round trip of the bytes that have just arrived, or 0 if it was not measured. The
// kernel's own value averages recent acknowledgements and is seconds old on lines that carry few parts.
func (p *player) roundTrip(now time.Duration) (rtt time.Duration) {
	// The kernel's number includes frame headers and other packets.
	arrived := p.sent - p.figures.inflight()*63/64 + PartLen/2
	for len(p.marks) > 0 && p.marks[0].sent <= arrived {
		rtt = now - p.marks[0].at
		p.marks = slices.Delete(p.marks, 0, 1)
	}
	return rtt
}

// begin starts the download at the byte that the player reported.
func (p *player) begin(now time.Duration, cfg *Config) {
	*p = player{
		pid: p.pid, state: active, allowed: p.allowed, percent: p.percent,
		base: p.acked, acked: p.acked, next: p.acked, high: p.acked,
		began: now, moved: now, figures: p.figures, bucket: bucket{rate: cfg.PlayerRate},
		burst: firstWindow, ignored: p.ignored, starts: p.starts + 1,
	}
}

// progress moves the acknowledged offset to held.
func (p *player) progress(now time.Duration, held uint32) {
	p.acked, p.next = held, max(p.next, held)
	p.moved = now
	p.recovering, p.repeated, p.doubted, p.rewinds = false, false, false, 0
}

// rewind returns to the acknowledged offset.
func (p *player) rewind(now time.Duration) {
	// The client discards the parts after a bad one, so reduce the bytes in flight.
	p.burst, p.useless = max(p.unanswered()/2, firstWindow), p.figures.inflight()
	p.resent += uint64(p.unanswered())
	p.next = p.acked
	p.recovering, p.repeated = true, false
	p.rewinds++
	p.rewindAt = now
	// The answer to retransmitted parts arrives after everything now in flight.
	p.retryAt = now + 2*p.figures.RTT + retryStep
}

// unanswered returns the number of bytes sent but not acknowledged.
func (p *player) unanswered() int64 { return int64(p.next - p.acked) }

// share returns the player's equal part of the line's window, limited at first by burst so that parts do not
// pile up in the kernel.
func (p *player) share() int64 { return min(p.line.size/int64(p.line.players), p.burst) }

// sendable returns how many bytes may be sent now without exceeding the client's, the line's and the out queue's
// limits. A player may exceed its share somewhat, because acknowledgements may come late or in pairs, and
// always gets half of it, however much others have in flight.
func (p *player) sendable(cfg *Config) int64 {
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

// canSend reports whether parts may be sent. On a fast line a write per acknowledgement would cost more than the
// data, so free window accumulates before it is used.
func (p *player) canSend(now time.Duration, cfg *Config) bool {
	rest := int64(cfg.Size - p.next)
	if p.state != active || rest == 0 {
		return false
	}
	least := int64(PartLen)
	if !p.filling {
		least = max(min(p.share()/8, int64(cfg.MaxWindow)/8, maxBulk), PartLen)
	}
	p.filling = p.sendable(cfg) >= min(least, rest)
	return p.filling && p.bucket.allows(now, min(PartLen, rest))
}
