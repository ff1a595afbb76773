package replay

import "time"

// apm counts the actions of a player.
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
