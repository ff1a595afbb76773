package mapstats

import (
	"strconv"
)

// Bounds of what one game may report: a map, or a player who makes things up,
// costs no more memory than this.
const (
	maxResults = 4096
	maxValue   = 200 // bytes of a name or a value
)

// Source is the protocol that a result came by.
type Source string

// Sources.
const (
	W3MMD Source = "w3mmd"
	DotA  Source = "dota"
)

// Outcome is the name of a player's result that says how the game ended for
// them; its values follow.
const (
	Outcome = "outcome"

	Won  = "won"
	Lost = "lost"
	Drew = "drew"
	Left = "left"
)

// Player is somebody in the game whom results may be about.
type Player struct {
	PID    uint8
	Name   string
	Colour uint8 // of the slot table, which is the player's number in the map
}

// Result is one value that a map has reported.
type Result struct {
	Source      Source
	Sender      uint8  // pid whose client said so
	PID         uint8  // whom it is about; 0 for the whole game
	About       string // the player as the map names him, where no pid is known
	Name        string
	Value       string
	Turn        uint32
	Contradicts bool // another sender says otherwise
}

// Collector gathers the reports of one game.
type Collector struct {
	players []Player
	results []Result
	index   map[subject][]int // of results, by what they are about
	mmd     mmd
	events  int
}

type subject struct {
	source Source
	pid    uint8
	about  string
	name   string
}

// New begins a game with these players.
func New(players []Player) *Collector {
	return &Collector{players: players, index: make(map[subject][]int), mmd: newMMD()}
}

// Action looks through one player's action data of a turn.
func (c *Collector) Action(turn uint32, sender uint8, data []byte) {
	if !mayReport(data) {
		return
	}
	for r := range reports(data) {
		switch r.file {
		case dotaFile:
			c.dota(turn, sender, r)
		case mmdFile:
			c.mmdReport(turn, sender, r)
		}
	}
}

// mayReport spares the walk for the actions that cannot hold a report; nearly
// all are of that kind.
func mayReport(data []byte) bool {
	for _, b := range data {
		if b == opSyncInteger {
			return true
		}
	}
	return false
}

// Results is all that was reported so far, in order.
func (c *Collector) Results() []Result { return c.results }

// set notes a value. The same sender's later word replaces the earlier one.
func (c *Collector) set(r Result) {
	r.Name, r.Value = cut(r.Name), cut(r.Value)
	key := subject{r.Source, r.PID, r.About, r.Name}
	known := c.index[key]
	for _, i := range known {
		if old := &c.results[i]; old.Sender == r.Sender {
			old.Value, old.Turn = r.Value, r.Turn
			c.compare(known)
			return
		}
	}
	if len(c.results) >= maxResults {
		return
	}
	c.results = append(c.results, r)
	c.index[key] = append(known, len(c.results)-1)
	c.compare(c.index[key])
}

// compare marks what senders do not agree on. Who only repeats the first is
// kept too: the record says how many said so.
func (c *Collector) compare(same []int) {
	differ := false
	for _, i := range same {
		differ = differ || c.results[i].Value != c.results[same[0]].Value
	}
	for _, i := range same {
		c.results[i].Contradicts = differ
	}
}

// value is what a sender has said of a subject so far.
func (c *Collector) value(key subject, sender uint8) (string, bool) {
	for _, i := range c.index[key] {
		if c.results[i].Sender == sender {
			return c.results[i].Value, true
		}
	}
	return "", false
}

// event notes something that happened and is not a value.
func (c *Collector) event(r Result) {
	if len(c.results) >= maxResults {
		return
	}
	c.events++
	r.Name = "event " + strconv.Itoa(c.events)
	r.Value = cut(r.Value)
	c.results = append(c.results, r)
}

func (c *Collector) byColour(colour int) (Player, bool) {
	for _, p := range c.players {
		if int(p.Colour) == colour {
			return p, true
		}
	}
	return Player{}, false
}

func (c *Collector) byName(name string) (Player, bool) {
	for _, p := range c.players {
		if p.Name == name {
			return p, true
		}
	}
	return Player{}, false
}

func cut(s string) string {
	if len(s) > maxValue {
		return s[:maxValue]
	}
	return s
}
