package replay

import "time"

// apm counts a player's actions, in total and over time.
type apm struct {
	total int
	line  timeline
}

func (c *apm) add(n int, at time.Duration) {
	if n > 0 {
		c.total += n
		c.line.add(at, n)
	}
}

// buckets is the maximum number of parts of a timeline.
const buckets = 240

// timeline sums a value over equal intervals of the game. The intervals grow with the game, so the memory
// stays constant.
type timeline struct {
	width time.Duration // length of an interval; 0 before the first value
	parts []int
}

// add adds n to the interval that contains at, widening the intervals if necessary.
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
