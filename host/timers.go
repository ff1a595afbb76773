package host

import (
	"cmp"
	"container/list"
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
type expiries struct{ list.List }

func (e *expiries) add(l *link, at time.Duration) {
	l.expires, l.waiting = at, e.PushBack(l)
}

// remove forgets a link, if it is here.
func (e *expiries) remove(l *link) {
	if l.waiting != nil {
		e.Remove(l.waiting)
	}
}

// first is the link whose time ends first; nil: none.
func (e *expiries) first() *link {
	if front := e.Front(); front != nil {
		return front.Value.(*link)
	}
	return nil
}

func (e *expiries) next() time.Duration {
	if l := e.first(); l != nil {
		return l.expires
	}
	return never
}

// due is a link whose time is over; nil: none.
func (e *expiries) due(now time.Duration) *link {
	if e.next() <= now {
		return e.first()
	}
	return nil
}
