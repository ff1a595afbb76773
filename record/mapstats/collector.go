package mapstats

import (
	"bytes"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Bounds of the raw reports that Action returns for storage, for each sender: a client that makes reports up takes
// no room from the others.
const (
	maxKeptActions = 4096      // actions with reports
	maxKeptBytes   = 256 << 10 // of their texts
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

// Collector gathers the reports of one game.
type Collector struct {
	rules   w3gs.ActionRules
	players []Player
	sheet   sheet
	mmd     mmd
	heard   map[Source]*testimony
	gone    map[uint8]uint32 // turns in which players have left
	kept    map[uint8]*kept  // by sender
}

// kept counts what Action has returned of a sender.
type kept struct{ actions, bytes int }

// New begins a game of a version with these players.
func New(v w3gs.Version, players []Player) *Collector {
	return &Collector{
		rules: v.LiveActions(), players: players, sheet: sheet{index: map[subject][]int{}}, heard: map[Source]*testimony{},
		mmd:  mmd{players: map[string]string{}, events: map[string]string{}, leavers: map[subject]Result{}, sequence: newSequence()},
		gone: map[uint8]uint32{}, kept: map[uint8]*kept{},
	}
}

// Action looks through one player's action data of a turn, at a game time. It returns the reports in it, from which
// a Collector makes the same results again; nothing once the sender has reached the bound for them.
func (c *Collector) Action(turn uint32, at time.Duration, sender uint8, data []byte) []Report {
	if bytes.IndexByte(data, opSyncInteger) < 0 { // spares the walk for nearly all actions
		return nil
	}
	var all []Report
	for r := range reports(c.rules, data) {
		if r.File == dotaFile || r.File == mmdFile {
			all = append(all, r)
		}
	}
	if !c.Reports(turn, at, sender, all) {
		return nil
	}
	return all
}

// Reports takes the reports that Action has returned. It reports whether they are within the bound for the sender.
func (c *Collector) Reports(turn uint32, at time.Duration, sender uint8, all []Report) bool {
	if len(all) == 0 {
		return false
	}
	c.settle(at, false) // before new texts come
	for _, r := range all {
		if r.File == dotaFile {
			c.testify(DotA, sender, turn)
			c.dota(Result{Source: DotA, Sender: sender, Turn: turn}, r)
		} else {
			c.mmdReport(turn, at, sender, r)
		}
	}
	c.settle(at, false)
	return c.keep(sender, all)
}

// Full reports whether reports were beyond the bound for a sender, or may have been: they are not all stored.
func (c *Collector) Full() bool {
	for _, k := range c.kept {
		if k.full() {
			return true
		}
	}
	return false
}

// keep counts reports of a sender, as long as they are to be kept.
func (c *Collector) keep(sender uint8, all []Report) bool {
	k := c.kept[sender]
	if k == nil {
		k = new(kept)
		c.kept[sender] = k
	}
	if k.full() {
		return false
	}
	k.actions++
	for _, r := range all {
		k.bytes += len(r.File) + len(r.Mission) + len(r.Key)
	}
	return true
}

func (k *kept) full() bool { return k.actions >= maxKeptActions || k.bytes >= maxKeptBytes }

// Left says that a player is out of the game.
func (c *Collector) Left(turn uint32, pid uint8) { c.gone[pid] = turn }

// Finish ends the game: what still waited for others' word counts now.
func (c *Collector) Finish() {
	c.settle(0, true)
	c.finishMMD()
}

// Results is all that was reported, in order. Results of W3MMD lag behind their reports by 15 s until Finish.
func (c *Collector) Results() []Result { return c.sheet.results }

// present are the players who were in the game in a turn.
func (c *Collector) present(turn uint32) (in w3gs.PIDs) {
	for _, p := range c.players {
		if gone, is := c.gone[p.PID]; !is || gone > turn {
			in |= w3gs.Only(p.PID)
		}
	}
	return in
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
