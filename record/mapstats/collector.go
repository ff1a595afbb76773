package mapstats

import (
	"bytes"
	"slices"
	"strconv"

	"w3host/protocol/w3gs"
)

// Bounds of the reports of one game: a map, or a player who makes things up,
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

// outcome is the name of a player's result that says how the game ended for
// them; its values follow.
const (
	outcome = "outcome"

	won  = "won"
	lost = "lost"
	drew = "drew"
	left = "left"
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
	About       string // the player as the map names them, where no pid is known
	Name        string
	Value       string
	Turn        uint32
	Contradicts bool // another sender says otherwise
}

// Collector gathers the reports of one game.
type Collector struct {
	rules   w3gs.ActionRules
	players []Player
	results []Result
	index   map[subject][]int // of results, by their subject
	mmd     mmd
	heard   map[Source]*testimony
	gone    w3gs.PIDs
	events  int
}

type subject struct {
	source Source
	pid    uint8
	about  string
	name   string
}

// New begins a game of a version with these players.
func New(v w3gs.Version, players []Player) *Collector {
	return &Collector{
		rules: v.LiveActions(), players: players, index: map[subject][]int{}, heard: map[Source]*testimony{},
		mmd: mmd{players: map[string]string{}, events: map[string]string{}},
	}
}

// Action looks through one player's action data of a turn.
func (c *Collector) Action(turn uint32, sender uint8, data []byte) {
	if bytes.IndexByte(data, opSyncInteger) < 0 { // spares the walk for nearly all actions
		return
	}
	for r := range reports(c.rules, data) {
		switch r.file {
		case dotaFile:
			c.testify(DotA, sender)
			c.dota(Result{Source: DotA, Sender: sender, Turn: turn}, r)
		case mmdFile:
			c.testify(W3MMD, sender)
			c.mmdReport(Result{Source: W3MMD, Sender: sender, Turn: turn}, r)
		}
	}
}

// Results is all that was reported so far, in order.
func (c *Collector) Results() []Result { return c.results }

// set notes a value. The same sender's later word replaces the earlier one.
func (c *Collector) set(r Result) {
	r.Name, r.Value = cut(r.Name), cut(r.Value)
	if r.Name == outcome && (r.Value == won || r.Value == drew) {
		c.weigh(r.Source)
	}
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

// compare marks results that senders do not agree on. A sender that only repeats the first is
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

// value returns the last value of a subject from a sender.
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

// find returns the first player that is so; false if there is none.
func (c *Collector) find(is func(Player) bool) (Player, bool) {
	if i := slices.IndexFunc(c.players, is); i >= 0 {
		return c.players[i], true
	}
	return Player{}, false
}

func (c *Collector) byColour(colour int) (Player, bool) {
	return c.find(func(p Player) bool { return int(p.Colour) == colour })
}

func cut(s string) string { return s[:min(len(s), maxValue)] }
