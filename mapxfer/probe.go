package mapxfer

import "time"

const (
	// probeEvery is the time between two measurements of the round trip.
	probeEvery = 10 * time.Second
	// probeSoon is the time from a new download to the next measurement: what the
	// newcomer measured holds the queue of those who were there before.
	probeSoon = 2 * time.Second
	// maxProbe bounds how long one takes.
	maxProbe = time.Second
)

// probe has all players measure their shortest round trips at the same time. One
// alone would measure the queue of the others, if they share a line, and take
// more than his share of it for the rest of the download.
type probe struct {
	running bool
	turn    time.Duration // end of the running one, else start of the next
}

// soon brings the next probe forward after a download began.
func (b *probe) soon(now time.Duration) {
	if !b.running && (b.turn <= now || b.turn > now+probeSoon) {
		b.turn = now + probeSoon
	}
}

// tick starts and ends probes.
func (b *probe) tick(now time.Duration, players []*player) {
	if now < b.turn {
		return
	}
	if b.running {
		b.running, b.turn = false, now+probeEvery
		for _, p := range players {
			p.win.endProbe()
		}
		return
	}
	took := time.Duration(0)
	for _, p := range players {
		if p.state != active {
			continue
		}
		p.win.startProbe()
		if p.win.probing {
			took = max(took, 2*p.win.minRTT+2*maxSlack)
		}
	}
	if took == 0 {
		b.turn = now + probeEvery
		return
	}
	b.running, b.turn = true, now+min(took, maxProbe)
}
