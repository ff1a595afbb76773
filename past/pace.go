package past

import "time"

// Speed is how much game time is sent in a time; Max is as much as the client answers.
type Speed int

// Max has no bound but the window.
const Max Speed = 1000

const (
	// Turns that are sent and not answered: as many as the client has answered lately, which
	// at its top speed is about 2 s of them. A longer queue would only make it deaf to a
	// change of speed.
	fewest, most = 20, 300
	lately       = 2 * time.Second
	// mostBytes bounds what one step sends.
	mostBytes = 64 << 10
	// beat is how often more is sent at most, so that turns go out in few writes.
	beat = 50 * time.Millisecond
)

// pace says how much of a tape may be sent by now.
type pace struct {
	speed   Speed
	window  int           // turns that may wait for an answer
	allowed time.Duration // game time
	lookAt  time.Duration
	count   [2]int        // answers in this half of lately, and in the one before
	halfAt  time.Duration // when this half began
}

func (p *pace) set(s Speed) { p.speed = s }

func (p *pace) begin(now time.Duration) {
	p.window, p.lookAt, p.halfAt = fewest, now, now
}

// look lets game time pass.
func (p *pace) look(now time.Duration) {
	p.allowed += (now - p.lookAt) * time.Duration(p.speed)
	p.lookAt = now
}

// hold keeps what was not sent, because the client did not answer, from coming all at once.
func (p *pace) hold(at time.Duration) { p.allowed = min(p.allowed, at+beat*time.Duration(p.speed)) }

// next is when a part of this game time may be sent.
func (p *pace) next(at time.Duration) time.Duration {
	return p.lookAt + max(beat, (at-p.allowed)/time.Duration(p.speed))
}

// answered counts an answer, and sets the window by those of the last 2 s.
func (p *pace) answered(now time.Duration) {
	if now-p.halfAt >= lately/2 {
		p.count[1], p.count[0] = p.count[0], 0
		if now-p.halfAt >= lately {
			p.count[1] = 0
		}
		p.halfAt = now
	}
	p.count[0]++
	p.window = min(max(p.count[0]+p.count[1], fewest), most)
}
