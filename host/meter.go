package host

import (
	"time"

	"w3host/host/loop"
	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
)

// meterBurst is how many seconds' worth of packets may come at once: a client
// whose line hung for a while sends everything it has saved up.
const meterBurst = 10

// answersPerPart is how many packets a client may send for each part of the map that
// it was sent: it acknowledges with 0x44, and now and then with 0x42 as well.
const answersPerPart = 2

// meter counts a player's packets against a rate, whichever connection brings them.
// Acknowledgements of parts of the map come as fast as the line carries the map: they
// are counted against the parts sent.
type meter struct {
	each    time.Duration // the time of one packet at the rate
	used    allowance.Allowance
	last    time.Duration // when a packet was last counted
	answers int           // packets that parts of the map have earned
	resent  int           // packets that a time without a connection has earned
}

func newMeter(rate int, now time.Duration) meter {
	return meter{each: time.Second / time.Duration(rate), last: now}
}

// sent notes parts of the map that were sent.
func (m *meter) sent(parts int) { m.answers += parts * answersPerPart }

func (m *meter) count(op w3gs.Op, now time.Duration) error {
	if m.answers > 0 && (op == w3gs.OpMapPartOK || op == w3gs.OpMapSize) {
		m.answers--
		return nil
	}
	m.last = now
	if m.resent > 0 {
		m.resent--
	} else if m.used.Take(now, m.each, meterBurst*time.Second) > 0 {
		return loop.ErrFlood
	}
	return nil
}

// resume allows for the packets that a proxy sends again when its player comes back: all that
// the player could have sent at the rate since the last packet that came.
func (m *meter) resume(now time.Duration) {
	m.resent += int((now - m.last) / m.each)
	m.used.Use(m.last, now-m.last) // that time gives nothing back besides
	m.last = now
}
