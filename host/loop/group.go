package loop

import (
	"cmp"
	"slices"
	"time"
)

// Owner is the user of a group. Its methods are called on the loop's goroutine.
type Owner interface {
	// Tick does the work that is due, and flushes packets that must not wait. The group's
	// connections have been read just before.
	Tick()
	// Next returns the time of the next tick. ok is false if none is needed.
	Next() (at time.Duration, ok bool)
	// Attends reports whether the group's packets should also be read between ticks. That is so
	// while a game loads or shows the lag screen.
	Attends() bool
}

// Group is a set of connections that are read together before a common deadline.
type Group struct {
	owner   Owner
	number  uint32 // orders groups that are due together
	all     *groups
	set     set
	due     time.Duration
	readAt  time.Duration // when its connections were read last
	reading bool          // in all.reading
	touched bool          // due may have changed since it was looked up
	closed  bool
}

// groups holds all groups of a loop.
type groups struct {
	deadlines []*Group // in the order in which they want a tick
	reading   []*Group // those with a set of connections
	touched   []*Group
}

// Touch makes the loop query the group's deadline again at the end of the pass.
func (g *Group) Touch() {
	if !g.touched {
		g.touched = true
		g.all.touched = append(g.all.touched, g)
	}
}

// readEvery returns the longest time for which packets of the group stay unread.
func (g *Group) readEvery() time.Duration {
	if g.owner.Attends() {
		return attendedEvery
	}
	return readEvery
}

// Due returns the time of the group's next tick.
func (g *Group) Due() time.Duration { return g.due }

func (s *groups) at(g *Group) (int, bool) {
	return slices.BinarySearchFunc(s.deadlines, g, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.number, b.number))
	})
}

func (s *groups) add(g *Group) {
	i, _ := s.at(g)
	s.deadlines = slices.Insert(s.deadlines, i, g)
}

func (s *groups) remove(g *Group) {
	if i, ok := s.at(g); ok {
		s.deadlines = slices.Delete(s.deadlines, i, i+1)
	}
	s.reading = slices.DeleteFunc(s.reading, func(r *Group) bool { return r == g })
}

// first returns the group with the earliest deadline, or nil.
func (s *groups) first() *Group {
	if len(s.deadlines) == 0 {
		return nil
	}
	return s.deadlines[0]
}

func (s *groups) next() time.Duration {
	if g := s.first(); g != nil {
		return g.due
	}
	return never
}

// schedule queries the deadlines of the touched groups.
func (s *groups) schedule() {
	for i := 0; i < len(s.touched); i++ {
		g := s.touched[i]
		g.touched = false
		if g.closed {
			continue
		}
		due := never
		if at, ok := g.owner.Next(); ok {
			due = at
		}
		if due != g.due {
			i, _ := s.at(g)
			s.deadlines = slices.Delete(s.deadlines, i, i+1)
			g.due = due
			s.add(g)
		}
	}
	clear(s.touched)
	s.touched = s.touched[:0]
}
