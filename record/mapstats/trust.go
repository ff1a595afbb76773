package mapstats

import "w3host/protocol/w3gs"

// testimony separates the reports of a map from those that a player has made up.
type testimony struct {
	senders w3gs.PIDs // whose clients have reported
	doubted bool      // a result came while too few of them were in
}

// testify notes that a client has reported.
func (c *Collector) testify(source Source, sender uint8) {
	t := c.heard[source]
	if t == nil {
		t = new(testimony)
		c.heard[source] = t
	}
	t.senders |= w3gs.Only(sender)
}

// Left says that a player is out of the game.
func (c *Collector) Left(pid uint8) { c.gone |= w3gs.Only(pid) }

// weigh looks at who has reported by the time that a result decides the game. A W3MMD map
// has each message sent by the client of a player that it draws, so that in a game most of
// them send some. A DotA map has one client send all, that of the first player who is in.
func (c *Collector) weigh(source Source) {
	t, in := c.heard[source], w3gs.PIDs(0)
	for _, p := range c.players {
		in |= w3gs.Only(p.PID)
	}
	in &^= c.gone
	here := (t.senders & in).Len()
	most := 2*here > in.Len()
	t.doubted = t.doubted || !most && (source != DotA || here != 1)
}

// Doubted reports whether the results of a source may be made up: a deciding one came
// while no majority of the players who were in had reported.
func (c *Collector) Doubted(source Source) bool {
	t := c.heard[source]
	return t != nil && t.doubted
}
