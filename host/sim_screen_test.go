//go:build linux

package host

import (
	"time"

	"w3host/protocol/w3gs"
)

const (
	// lagsAtMost is how long players wait at most for somebody who is not behind a proxy.
	lagsAtMost = 70 * time.Second
	// behindAtMost is after how many turns the game must wait for a player who has not got them, with some that are under way.
	behindAtMost = 80
	// turnsAtMost is how many turns a player on a sound line gets at most within a second: waiting is not made up for.
	turnsAtMost = 15
)

// simScreen is what a client shows of the other players: who is there, and who lags.
type simScreen struct {
	here   map[byte]bool
	lagged map[byte]time.Time // who is on the lag screen, and since when
	turns  [turnsAtMost]time.Time
	turn   int
}

// show takes a packet that changes what the client shows.
func (c *simClient) show(b []byte) {
	s := &c.screen
	if s.here == nil {
		s.here, s.lagged = map[byte]bool{}, map[byte]time.Time{}
	}
	switch b[1] {
	case 0x04:
		s.here[c.pid] = true
	case 0x06:
		s.here[b[8]] = true
	case 0x07:
		delete(s.here, b[4])
	case 0x09:
		c.slots(b)
	case 0x10:
		for row := b[5:]; len(row) >= 5; row = row[5:] {
			if s.lagged[row[0]].IsZero() {
				s.lagged[row[0]] = time.Now()
			}
			c.waitsFor(row[0])
		}
	case 0x11:
		delete(s.lagged, b[4])
	}
}

// slots checks that the client has one slot, and that nobody has two or is not there.
func (c *simClient) slots(b []byte) {
	var p w3gs.SlotInfo
	if err := p.Decode(b[4:]); err != nil {
		c.fault("slots: %v", err)
		return
	}
	slots := map[byte]int{}
	for i, s := range p.Slots {
		if slots[s.PID]++; s.PID != 0 && (slots[s.PID] > 1 || !c.screen.here[s.PID]) {
			c.fault("slot %d is taken by player %d, who is not there or has another slot", i, s.PID)
		}
	}
	if c.joined && slots[c.pid] == 0 {
		c.fault("has no slot any more")
	}
}

// waitsFor checks that the game does not wait too long for a player.
func (c *simClient) waitsFor(pid byte) {
	since := c.screen.lagged[pid]
	if time.Now().Before(c.w.excused) {
		c.screen.lagged[pid] = time.Now()
		return
	}
	for _, o := range c.game.players {
		if o.pid == pid && o.proxy == nil && time.Since(since) > lagsAtMost {
			c.fault("has waited %v for %s, whom no proxy brings back", time.Since(since), o.name)
		}
	}
}

// paced checks a turn in which time passes.
func (c *simClient) paced() {
	s := &c.screen
	if len(s.lagged) > 0 {
		c.fault("turn %d comes while the lag screen is up", c.turns)
		clear(s.lagged)
	}
	for _, o := range c.game.players {
		if o.playing && !o.over && !o.left && s.here[o.pid] && c.turns-o.turns > behindAtMost {
			c.fault("turn %d comes, though %s has got only %d", c.turns, o.name, o.turns)
		}
	}
	at := &s.turns[s.turn%turnsAtMost]
	if c.healthy && !at.IsZero() && time.Since(*at) < time.Second && time.Now().After(c.w.excused) {
		c.fault("%d turns have come within %v", turnsAtMost+1, time.Since(*at))
	}
	*at = time.Now()
	s.turn++
}
