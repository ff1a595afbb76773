package replay

import (
	"time"

	"w3host/protocol/w3gs"
)

// apm counts actions by the standard of the actions document, §1.1.
type apm struct {
	total    int
	line     timeline
	deselect bool // the last action of this command block was a deselection
	update   bool // or an update of subgroups
}

// begin starts a command block.
func (c *apm) begin() { c.deselect, c.update = false, false }

func (c *apm) add(a w3gs.Action, r Rules, at time.Duration) {
	deselect, update := c.deselect, c.update
	c.begin()
	counts := false
	switch a.ID {
	case 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x1C, 0x1D, 0x1E, 0x61, 0x66, 0x67:
		counts = a.Known
	case 0x16: // a selection right behind a deselection belongs to it
		c.deselect = a.Known && a.Data[1] == 2
		counts = a.Known && (c.deselect || !deselect)
	case 0x19: // made by the game itself from 1.14b on
		if a.Known && r.Before114b() {
			group := a.Data[1]
			c.update = group == 0xFF
			counts = group != 0 && group != 0xFF && !update
		}
	}
	if counts {
		c.total++
		c.line.add(at, 1)
	}
}

// buckets is how many parts a timeline has at most.
const buckets = 240

// timeline sums a value over equal parts of the game. Its parts grow with the
// game, so that its size does not.
type timeline struct {
	width time.Duration // of a part; 0 before the first value
	parts []int
}

// add adds n to the part of a time, after joining parts until there is one.
func (l *timeline) add(at time.Duration, n int) {
	if l.width == 0 {
		l.width = 5 * time.Second
	}
	for at/l.width >= buckets {
		half := (len(l.parts) + 1) / 2
		for i := range half {
			l.parts[i] = l.parts[2*i]
			if 2*i+1 < len(l.parts) {
				l.parts[i] += l.parts[2*i+1]
			}
		}
		l.parts, l.width = l.parts[:half], 2*l.width
	}
	for len(l.parts) <= int(at/l.width) {
		l.parts = append(l.parts, 0)
	}
	l.parts[at/l.width] += n
}
