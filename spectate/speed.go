package spectate

import "time"

// Speed is the playback speed as a multiple of game time.
type Speed int

// Max sends turns as fast as the client answers.
const Max Speed = 1000

const (
	// MostBytes limits the bytes sent in one step, and those sent but not answered.
	MostBytes = 64 << 10
	// beat is the minimum time between two sends, so that turns are sent in few writes.
	beat = 50 * time.Millisecond
)

// pace determines how much of a recording may be sent by now.
type pace struct {
	window
	speed   Speed
	allowed time.Duration // game time that may be sent
	lookAt  time.Duration
}

func (p *pace) set(s Speed) { p.speed = s }

func (p *pace) begin(now time.Duration) {
	p.window, p.lookAt = newWindow(now), now
}

// advance updates the allowed game time.
func (p *pace) advance(now time.Duration) {
	p.allowed += (now - p.lookAt) * time.Duration(p.speed)
	p.lookAt = now
}

// hold limits the allowed game time after a delay by the client, so that held back packets are not sent all
// at once.
func (p *pace) hold(at time.Duration) { p.allowed = min(p.allowed, at+beat*time.Duration(p.speed)) }

// next returns when a part with the given game time may be sent.
func (p *pace) next(at time.Duration) time.Duration {
	return p.lookAt + max(beat, (at-p.allowed)/time.Duration(p.speed))
}
