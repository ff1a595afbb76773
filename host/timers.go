package host

import (
	"cmp"
	"slices"
	"time"
)

// never is the deadline of what waits for players alone.
const never = time.Duration(1<<63 - 1)

// deadlines are the games in the order in which they want a tick.
type deadlines []*Game

func (d deadlines) at(g *Game) (int, bool) {
	return slices.BinarySearchFunc(d, g, func(a, b *Game) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.id, b.id))
	})
}

func (d *deadlines) add(g *Game) {
	i, _ := d.at(g)
	*d = slices.Insert(*d, i, g)
}

func (d *deadlines) remove(g *Game) {
	if i, ok := d.at(g); ok {
		*d = slices.Delete(*d, i, i+1)
	}
}

func (d deadlines) next() time.Duration {
	if len(d) == 0 {
		return never
	}
	return d[0].due
}

func (d *deadlines) set(g *Game, due time.Duration) {
	if g.due != due {
		d.remove(g)
		g.due = due
		d.add(g)
	}
}

// expiries are links that are cut after a while. All wait for the same time, so
// the first in is the first out.
type expiries []*link

func (e *expiries) add(l *link, at time.Duration) {
	l.expires = at
	*e = append(*e, l)
}

func (e expiries) next() time.Duration {
	if len(e) == 0 {
		return never
	}
	return e[0].expires
}

// due removes and returns the links whose time is over.
func (e *expiries) due(now time.Duration) []*link {
	n := slices.IndexFunc(*e, func(l *link) bool { return l.expires > now && l.state != closed })
	if n < 0 {
		n = len(*e)
	}
	due := (*e)[:n]
	if *e = (*e)[n:]; len(*e) == 0 {
		*e = nil
	}
	return due
}
