package mapstats

import "w3host/protocol/w3gs"

// testimony separates the reports of a map from those that a player has made up.
type testimony struct {
	since   map[uint8]uint32 // turns of the first reports of senders
	doubted bool             // a result came while too few of them were in
}

// testify notes that a client has reported.
func (c *Collector) testify(source Source, sender uint8, turn uint32) {
	t := c.heard[source]
	if t == nil {
		t = &testimony{since: map[uint8]uint32{}}
		c.heard[source] = t
	}
	if _, known := t.since[sender]; !known {
		t.since[sender] = turn
	}
}

// weigh counts the clients that had sent reports by the turn in which a result decided the game. A W3MMD map
// has each message sent by the client of a player that it draws, so that in a game most of
// them send some. A DotA map has one client send all, that of the first player who is in.
func (c *Collector) weigh(r *Result) {
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

// Doubted reports whether the results of a source may be made up: a deciding one came
// while no majority of the players who were in had reported, or messages of W3MMD are missing.
func (c *Collector) Doubted(source Source) bool {
	t := c.heard[source]
	return t != nil && t.doubted || source == W3MMD && c.mmd.incomplete
}

// Heard are the sources that have reported.
func (c *Collector) Heard() (sources []Source) {
	for _, source := range []Source{W3MMD, DotA} {
		if c.heard[source] != nil {
			sources = append(sources, source)
		}
	}
	return sources
}
