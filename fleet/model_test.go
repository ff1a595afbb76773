package fleet

import "slices"

// model is the database: what fleet_beat does, without SQL. Its faults are the controls.
type model struct {
	tick, hold int64
	sessions   map[int]*modelSession
	leases     []modelLease
	wall       func() int64 // a clock that steps, instead of the tick; nil: the tick

	oldBeats, anyTerm, noHold bool
}

type modelSession struct{ until, beat int64 }

type modelLease struct {
	name    string
	session int
	term    int64
}

func newModel(names []string) *model {
	d := &model{tick: 1, sessions: map[int]*modelSession{}}
	for _, n := range names {
		d.leases = append(d.leases, modelLease{name: n})
	}
	return d
}

func (d *model) now() int64 {
	if d.wall != nil {
		return d.wall()
	}
	return d.tick
}

func (d *model) enter(id int) { d.sessions[id] = &modelSession{until: d.now() + 10} }

func (d *model) free(id int) {
	for i := range d.leases {
		if d.leases[i].session == id {
			d.leases[i].session = 0
		}
	}
}

func (d *model) beat(id int, b *Beat) Answer {
	s := d.sessions[id]
	if s == nil || b.Number <= s.beat && !d.oldBeats {
		return Answer{Buried: true}
	}
	s.until, s.beat = d.now()+10, max(s.beat, b.Number)
	var a Answer
	for i := range d.leases {
		l := &d.leases[i]
		if slices.ContainsFunc(b.Gives, func(g Lease) bool {
			return g.Name == l.name && (g.Term == l.term || d.anyTerm) && l.session == id
		}) {
			l.session = 0
		}
	}
	most := 0
	for _, w := range b.Wants {
		most += w.Most
	}
	first := int(b.Number) // hosts begin at different ends
	for i := range d.leases {
		l := &d.leases[(i+first)%len(d.leases)]
		if l.session == 0 && most > 0 && d.tick >= d.hold {
			most--
			l.session, l.term = id, l.term+1
			a.Leases = append(a.Leases, Lease{Name: l.name, Term: l.term})
		}
	}
	if b.Complete {
		a.Leases = a.Leases[:0]
		for _, l := range d.leases {
			if l.session == id {
				a.Leases = append(a.Leases, Lease{Name: l.name, Term: l.term})
			}
		}
	}
	if b.Seen == d.tick {
		d.tick++
		now := d.now()
		for id, s := range d.sessions {
			if s.until < now {
				delete(d.sessions, id)
				d.free(id)
			}
		}
	}
	a.Tick, a.Hold = d.tick, d.hold
	return a
}

// copied is the database as a copy has it that lags.
func (d *model) copied() *model {
	c := *d
	c.leases = slices.Clone(d.leases)
	c.sessions = map[int]*modelSession{}
	for id, s := range d.sessions {
		same := *s
		c.sessions[id] = &same
	}
	return &c
}

// follow makes the database what its copy was. The tick leaps, since hosts may know ticks that
// the copy has yet to come to, for longer than a second.
func (d *model) follow(c *model) {
	d.tick, d.leases, d.sessions = c.tick+leap, c.leases, c.sessions
	for _, s := range d.sessions {
		s.until += leap
	}
	if d.hold = c.hold; !d.noHold {
		d.hold = d.tick + 10
	}
}

const leap = 1000
