package mapstats

import (
	"bytes"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Limits per sender for the reports that Action returns for storage, so that a client that fabricates reports
// cannot use up the space of others.
const (
	maxKeptActions = 4096      // actions with reports
	maxKeptBytes   = 256 << 10 // bytes of their texts
)

// Source is the protocol by which a result was reported.
type Source string

// Supported protocols.
const (
	W3MMD Source = "w3mmd"
	DotA  Source = "dota"
)

// A result named outcome tells how the game ended for a player; its value is won, lost, drew or left.
const (
	outcome = "outcome"

	won  = "won"
	lost = "lost"
	drew = "drew"
	left = "left"
)

// Player is a player of the game, about whom results can be reported.
type Player struct {
	PID    uint8
	Name   string
	Colour uint8 // colour in the slot table, which is also the player's number in the map
}

// Collector collects the reports of one game and derives its results. It is not safe for concurrent use.
type Collector struct {
	rules   w3gs.ActionRules
	players []Player
	sheet   sheet
	mmd     mmd
	heard   map[Source]*senderSet
	gone    map[uint8]uint32 // turn of each player's leave, by pid
	kept    map[uint8]*kept  // by sender
}

// kept counts the reports returned for one sender.
type kept struct{ actions, bytes int }

// New returns a Collector for a game of version v with the given players.
func New(v w3gs.Version, players []Player) *Collector {
	return &Collector{
		rules: v.LiveActions(), players: players, sheet: sheet{index: map[subject][]int{}}, heard: map[Source]*senderSet{},
		mmd:  mmd{players: map[string]string{}, events: map[string]string{}, leavers: map[subject]Result{}, sequence: newSequence()},
		gone: map[uint8]uint32{}, kept: map[uint8]*kept{},
	}
}

// Action processes one player's action data in a turn; at is the game time. It returns the reports in it for
// storage, or nil if there are none or the sender has reached the limit. Passing all returned reports to
// Reports of a new Collector yields the same results.
func (c *Collector) Action(turn uint32, at time.Duration, sender uint8, data []byte) []Report {
	if bytes.IndexByte(data, opSyncInteger) < 0 { // fast path for nearly all actions
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

// Reports processes reports that Action has returned. It returns whether they are within the sender's limit.
func (c *Collector) Reports(turn uint32, at time.Duration, sender uint8, all []Report) bool {
	if len(all) == 0 {
		return false
	}
	c.settle(at, false) // before new texts arrive
	for _, r := range all {
		if r.File == dotaFile {
			c.noteSender(DotA, sender, turn)
			c.dota(Result{Source: DotA, Sender: sender, Turn: turn}, r)
		} else {
			c.mmdReport(turn, at, sender, r)
		}
	}
	c.settle(at, false)
	return c.keep(sender, all)
}

// Full reports whether a sender has reached the limit, so that the stored reports may be incomplete.
func (c *Collector) Full() bool {
	for _, k := range c.kept {
		if k.full() {
			return true
		}
	}
	return false
}

// keep counts a sender's reports and returns whether they are within the limit.
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

// Left records that a player has left the game.
func (c *Collector) Left(turn uint32, pid uint8) { c.gone[pid] = turn }

// Finish ends the game and decides all pending messages.
func (c *Collector) Finish() {
	c.settle(0, true)
	c.finishMMD()
}

// Results returns all results in order. Before Finish, results of W3MMD lag 15 s of game time behind their
// reports. The slice is valid until the next call.
func (c *Collector) Results() []Result { return c.sheet.results }

// present returns the players who were in the game in the given turn.
func (c *Collector) present(turn uint32) (in w3gs.PIDs) {
	for _, p := range c.players {
		if gone, is := c.gone[p.PID]; !is || gone > turn {
			in |= w3gs.Only(p.PID)
		}
	}
	return in
}

// find returns the first player for whom is returns true.
func (c *Collector) find(is func(Player) bool) (Player, bool) {
	if i := slices.IndexFunc(c.players, is); i >= 0 {
		return c.players[i], true
	}
	return Player{}, false
}

func (c *Collector) byColour(colour int) (Player, bool) {
	return c.find(func(p Player) bool { return int(p.Colour) == colour })
}
