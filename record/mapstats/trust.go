package mapstats

import "w3host/protocol/w3gs"

// senderSet records which clients have sent reports, to detect results that a single player fabricated.
type senderSet struct {
	since   map[uint8]uint32 // turn of each sender's first report
	doubted bool             // a deciding result arrived before enough clients had reported
}

// noteSender records that a client has sent a report.
func (c *Collector) noteSender(source Source, sender uint8, turn uint32) {
	t := c.heard[source]
	if t == nil {
		t = &senderSet{since: map[uint8]uint32{}}
		c.heard[source] = t
	}
	if _, known := t.since[sender]; !known {
		t.since[sender] = turn
	}
}

// checkQuorum checks, for a result that decides the game, how many clients have sent reports so far. W3MMD lets
// random clients send its messages, so most clients of a game send some. In a DotA map only the client of the
// first player sends.
func (c *Collector) checkQuorum(r *Result) {
	if r.Name != outcome || r.Value != won && r.Value != drew {
		return
	}
	t, in, senders := c.heard[r.Source], c.present(r.Turn), w3gs.PIDs(0)
	for sender, since := range t.since {
		if since <= r.Turn {
			senders |= w3gs.Only(sender)
		}
	}
	here := (senders & in).Len()
	most := 2*here > in.Len()
	t.doubted = t.doubted || !most && (r.Source != DotA || here != 1)
}

// Doubted reports whether the results of a source may be fabricated: a deciding result arrived before a
// majority of the players had reported, or W3MMD messages are missing.
func (c *Collector) Doubted(source Source) bool {
	t := c.heard[source]
	return t != nil && t.doubted || source == W3MMD && c.mmd.incomplete
}

// Heard returns the sources that have sent reports.
func (c *Collector) Heard() (sources []Source) {
	for _, source := range []Source{W3MMD, DotA} {
		if c.heard[source] != nil {
			sources = append(sources, source)
		}
	}
	return sources
}
