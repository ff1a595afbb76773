package admission

import (
	"time"

	"w3host/internal/allowance"
)

const (
	// packetBurst is how many seconds' worth of packets may come at once: a client whose line hung for a while sends
	// everything that it has saved up.
	packetBurst = 10
	// answersPerPart is how many packets a client may send for each part of the map that it was sent: it
	// acknowledges with 0x44, and now and then with 0x42 as well.
	answersPerPart = 2
)

// PacketLimiter limits the packets per second of a player, on whichever connection they come. Acknowledgements of
// parts of the map come as fast as the line carries the map: they count against the parts sent. All times are on one
// clock that never goes back.
type PacketLimiter struct {
	each    time.Duration // time that refills one packet
	used    allowance.Allowance
	last    time.Duration // when a packet was last counted
	answers int           // packets allowed by the parts that were sent
	resent  int           // packets allowed by a time without a connection
}

// NewPacketLimiter returns a PacketLimiter of rate packets per second, which must be positive.
func NewPacketLimiter(rate int, now time.Duration) PacketLimiter {
	return PacketLimiter{each: time.Second / time.Duration(rate), last: now}
}

// PartsSent allows for the answers to parts of the map.
func (p *PacketLimiter) PartsSent(parts int) { p.answers += parts * answersPerPart }

// Answers returns how many answers to parts of the map are allowed and have not come.
func (p *PacketLimiter) Answers() int { return p.answers }

// Allow counts a packet and reports whether it is within the limit. answer: it can be the answer to a part of the map.
func (p *PacketLimiter) Allow(answer bool, now time.Duration) bool {
	if answer && p.answers > 0 {
		p.answers--
		return true
	}
	p.last = now
	if p.resent > 0 {
		p.resent--
		return true
	}
	return p.used.Take(now, p.each, packetBurst*time.Second) == 0
}

// Resume allows for the packets that a proxy sends again when its player returns: all that the player could have
// sent since the last packet.
func (p *PacketLimiter) Resume(now time.Duration) {
	p.resent += int((now - p.last) / p.each)
	p.used.Use(p.last, now-p.last) // that time must not refill the burst as well
	p.last = now
}
