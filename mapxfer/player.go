package mapxfer

import "time"

// state is where a player stands.
type state uint8

const (
	idle     state = iota // has not reported
	refused               // wants the map, may not have it
	waiting               // wants the map, all places are taken
	active                // 0x3F was sent
	declined              // active, but said no
	done                  // holds the map
	removed               // on his way out; nothing he says counts
)

const (
	// maxIgnored packets without sense are tolerated, then the player goes.
	maxIgnored = 32
	// maxStarts bounds how often one player may fetch the whole map.
	maxStarts = 4
	// maxRewinds bounds the 0x45 in a row that bring no byte further.
	maxRewinds = 8
	// firstBurst is the window's bound after a 0x45 that came early.
	firstBurst = 16 * PartLen
	// resendFactor bounds the bytes sent again, in multiples of the map.
	resendFactor = 8
	// declineGrace is how long a client that answers 0x3F with 0x45 may take to
	// acknowledge a part after all. Then the 0x45 was a refusal.
	declineGrace = 2 * time.Second
	// stallStep is what a client may take over two round trips before it counts as
	// silent: then its window widens, or refused parts are sent again.
	stallStep = 100 * time.Millisecond
	// firstStall is the same before anything is known about the line.
	firstStall = 250 * time.Millisecond
	// maxDrain bounds what a low rate adds to both.
	maxDrain = 5 * time.Second
	// maxBulk bounds the bytes that are held back to be handed out in one go.
	maxBulk = 64 << 10
	// bulkTime is how much of a player's speed is handed out in one go.
	bulkTime = time.Millisecond
	// queueTime is how much of a player's speed may wait in the host's out queue.
	queueTime = 100 * time.Millisecond
)

// player is one player's download.
//
//	0 … acked … next … high … size
//
// Up to acked he holds the map; up to next the parts were handed out in this
// pass; up to high they were handed out before a 0x45 took next back.
type player struct {
	pid     uint8
	state   state
	allowed bool // by an admin

	base, acked, next, high uint32
	percent                 uint8
	began                   time.Duration
	moved                   time.Duration // last progress, or first byte in flight
	widened                 time.Duration // last time a stall widened the window

	win     window
	bucket  bucket
	backlog int64
	counted bool // the host reports the backlog
	deficit int64

	recovering bool // between a 0x45 and the next progress
	again      bool // another 0x45 came meanwhile
	rewindAt   time.Duration
	retryAt    time.Duration
	doubted    bool  // the last 0x45 came before any progress
	rewinds    int   // since the last progress
	clean      int64 // bytes acknowledged since the last 0x45
	run        int64 // bytes between two 0x45, smoothed
	burst      int64 // bound of the window after a 0x45; 0 is none
	resent     uint64

	ignored, starts int
}

// begin starts the exchange at the byte the player reported.
func (p *player) begin(now time.Duration, cfg *Config) {
	*p = player{
		pid: p.pid, state: active, allowed: p.allowed, percent: p.percent,
		base: p.acked, acked: p.acked, next: p.acked, high: p.acked,
		began: now, moved: now, widened: now,
		win: newWindow(int64(cfg.MaxWindow), now), bucket: newBucket(cfg.PlayerRate, now),
		backlog: p.backlog, counted: p.counted,
		ignored: p.ignored, starts: p.starts + 1,
	}
}

// progress takes the acknowledged mark to held.
func (p *player) progress(now time.Duration, held uint32) {
	n := int64(held - p.acked)
	p.acked, p.next = held, max(p.next, held)
	// After a 0x45 this also passes the bytes that it made useless: they were on
	// the line before whatever was acknowledged now.
	p.win.ack(now, p.win.inflight()-p.unanswered(), p.recovering)
	p.moved, p.widened = now, now
	p.recovering, p.again, p.doubted, p.rewinds = false, false, false, 0
	p.clean += n
	if p.burst > 0 {
		p.burst += n / 2
	}
}

// rewind goes back to the acknowledged mark. A client that wants parts again
// throws away what follows them, so the window shrinks to what went well since
// the last time: most of a larger one would be sent in vain.
func (p *player) rewind(now time.Duration) {
	p.resent += uint64(p.unanswered())
	p.next = p.acked
	p.recovering, p.again = true, false
	p.rewinds++
	p.rewindAt = now
	// The answer to what is sent again comes behind everything on the line.
	p.retryAt = now + p.stallAfter()
	p.run = (3*p.run + p.clean) / 4
	p.clean = 0
	p.burst = max(min(2*p.run, p.win.bytesIn(p.win.minRTT)+firstBurst), firstBurst)
}

// unanswered is what was handed out and still counts.
func (p *player) unanswered() int64 { return int64(p.next - p.acked) }

// window is how many bytes may be unanswered now.
func (p *player) window() int64 {
	if p.burst == 0 {
		return p.win.limit()
	}
	return max(min(p.win.limit(), p.burst), p.win.floor)
}

// room is how many bytes the window and the out queue take now.
func (p *player) room(now time.Duration) int64 {
	useless := max(p.win.inflight()-p.unanswered()-p.win.bytesIn(now-p.rewindAt), 0)
	room := max(p.window()-useless, p.win.floor) - p.unanswered()
	if p.counted {
		room = min(room, p.queueLimit()-p.backlog)
	}
	return room
}

// queueLimit is how much of this player may wait in the host's out queue.
func (p *player) queueLimit() int64 {
	if p.win.growing { // the rate is not yet that of the line
		return max(p.win.bytesIn(queueTime), firstWindow)
	}
	return max(p.win.bytesIn(queueTime), floorWindow)
}

// bulk is how many bytes are worth handing out at once: on a fast line one write
// for each acknowledgement would cost more than the parts.
func (p *player) bulk() int64 {
	return max(min(p.win.bytesIn(bulkTime), maxBulk, p.window()/4), PartLen)
}

// drain is how long the line takes for n bytes.
func (p *player) drain(n int64) time.Duration {
	if p.win.rate() == 0 {
		return 0
	}
	return time.Duration(float64(n) / float64(p.win.rate()) * float64(time.Second))
}

// stallAfter is how long the player may be silent before his window widens.
func (p *player) stallAfter() time.Duration {
	if p.win.rate() == 0 {
		return firstStall
	}
	return min(p.drain(p.win.inflight()), maxDrain) + 2*p.win.minRTT + stallStep
}

// open says that enough of the window is free for parts to leave: a whole bulk,
// unless nothing is on its way or the rest of the map is smaller.
func (p *player) open(now time.Duration, size uint32) bool {
	rest := int64(size - p.next)
	if rest == 0 {
		return false
	}
	room := p.room(now)
	if room >= rest || p.unanswered() == 0 && room >= PartLen {
		return true
	}
	return room >= p.bulk()
}

// deadline is when check has something to do.
func (p *player) deadline(cfg *Config) time.Duration {
	at := time.Duration(1<<63 - 1)
	silent := p.unanswered() > 0
	if cfg.Timeout > 0 {
		at = min(at, p.began+cfg.Timeout)
	}
	if cfg.Stall > 0 && silent {
		at = min(at, p.moved+cfg.Stall)
	}
	if p.doubted {
		at = min(at, p.rewindAt+declineGrace)
	}
	if p.again {
		at = min(at, p.retryAt)
	}
	if silent && p.win.floor < maxFloor {
		at = min(at, p.widened+p.stallAfter())
	}
	return at
}

// rebase starts again from what a client holds that cannot resume.
func (p *player) rebase(now time.Duration, held uint32) {
	p.base, p.acked = held, held
	p.rewind(now)
}
