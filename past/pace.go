package past

import "time"

// Speed is how much game time is sent in a time; Max is as much as the client answers.
type Speed int

// Max has no bound but the window.
const Max Speed = 1000

const (
	// MostBytes bounds the bytes that one step sends, and those that may be sent and not answered.
	MostBytes = 64 << 10
	// beat is how often more is sent at most, so that turns go out in few writes.
	beat = 50 * time.Millisecond
)

// pace says how much of a tape may be sent by now.
type pace struct {
	window
	speed   Speed
	allowed time.Duration // game time
	lookAt  time.Duration
}

func (p *pace) set(s Speed) { p.speed = s }

func (p *pace) begin(now time.Duration) {
	p.window, p.lookAt = newWindow(now), now
}

// advance lets game time pass.
func (p *pace) advance(now time.Duration) {
	p.allowed += (now - p.lookAt) * time.Duration(p.speed)
	p.lookAt = now
}

// hold keeps packets that were not sent, because the client did not answer, from coming all at once.
func (p *pace) hold(at time.Duration) { p.allowed = min(p.allowed, at+beat*time.Duration(p.speed)) }

// next is when a part of this game time may be sent.
func (p *pace) next(at time.Duration) time.Duration {
	return p.lookAt + max(beat, (at-p.allowed)/time.Duration(p.speed))
}
