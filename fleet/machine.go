// Package fleet is the share of one host among many of the things that must exist once: the lobby of an entry,
// an account of a realm. It holds such a thing by a lease. The leases hang on a session in
// the database, which one beat a second keeps.
//
// Time is a tick in the database that hosts push on, each by its own clock, so that two pushes
// are never less than a second apart. No wall clock decides anything: not the host's, not the
// database's. A session ends when the tick is eleven above its last beat, so after ten seconds at
// least; a holder acts for eight seconds after it has sent its last good beat. The two
// seconds between are for clocks that run apart.
package fleet

import (
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// Every is the time between two beats.
	Every = time.Second
	// actFor is how long a host acts on its leases after it has sent a good beat.
	actFor = 8 * time.Second
	// wait is how much later a beat is sent, if it can push the tick then.
	wait = 250 * time.Millisecond
	// mostPools are asked for in one beat.
	mostPools = 8
)

// Lease is the right to have something that must exist once.
type Lease struct {
	Name   string
	Pool   string
	Term   int64 // counts its holders
	Number int64 // drawn from the pool's counter when it was taken; the same is never drawn again
}

// Want asks for leases of a pool.
type Want struct {
	Pool    string
	Most    int // how many more
	Held    int // that this host has of the same kind
	Highest int // of the numbers of leases that may be taken
}

// Load is the report of a host about itself, sent with each beat.
type Load struct {
	Places   int // lobbies and games
	Draining bool
	Most     int // places of all hosts together; 0: no limit
}

// Beat is the message of a host to the database.
type Beat struct {
	Number   int64 // older ones do nothing
	Seen     int64 // the tick that the host has known for a second; 0: none
	Wants    []Want
	Gives    []Lease
	Complete bool // all leases of the session are asked for
	Load     Load
}

// Answer is the answer of the database to a beat.
type Answer struct {
	Buried bool // there is no such session any more
	Tick   int64
	Leases []Lease // what was taken, or all that the session has if that was asked for
	Hold   int64   // nothing is taken before this tick: another server has become the database, and may lack the last changes
	Places int     // of all hosts
	Hosts  int     // that take lobbies
}

// Change holds the leases that an answer has won or lost.
type Change struct {
	Taken, Lost []Lease
}

// Machine knows the leases of one host. Its clock counts also while the machine sleeps, and
// nobody sets it. It belongs to one goroutine.
type Machine struct {
	random   *rand.Rand
	number   int64
	tick     int64
	since    time.Duration // the tick was known
	hold     int64         // as the last answer has it
	until    time.Duration // the host acts
	complete bool          // the next beat asks for all leases
	held     map[string]Lease
	gives    []Lease
}

// New begins without a session. Which pools are asked for, where they are many, is the seed's.
func New(seed uint64) *Machine {
	return &Machine{random: rand.New(rand.NewPCG(seed, seed)), held: map[string]Lease{}}
}

// Beat is the next one to send.
func (m *Machine) Beat(now time.Duration, wants []Want, load Load) Beat {
	m.number++
	b := Beat{Number: m.number, Complete: m.complete, Load: load, Gives: slices.Clone(m.gives)}
	if m.tick > 0 && now-m.since >= Every {
		b.Seen = m.tick
	}
	for _, i := range m.random.Perm(len(wants)) {
		if w := wants[i]; w.Most > 0 && len(b.Wants) < mostPools {
			b.Wants = append(b.Wants, w)
		}
	}
	return b
}

// Answered takes the answer to a beat that was sent then. After an answer that says Buried
// the machine is as a new one, and wants a new session.
func (m *Machine) Answered(sent, now time.Duration, b *Beat, a *Answer) (c Change) {
	if a.Buried {
		for _, l := range m.held {
			c.Lost = append(c.Lost, l)
		}
		*m = Machine{random: m.random, held: map[string]Lease{}}
		return c
	}
	if a.Tick != m.tick {
		m.tick, m.since = a.Tick, now
	}
	holding, another := a.Tick < a.Hold, a.Hold != m.hold
	m.hold = a.Hold
	if holding && now >= m.until || (holding || another) && !b.Complete { // the host's leases may be another's
		m.complete = true
		return c
	}
	m.until = sent + actFor
	m.gives = slices.DeleteFunc(m.gives, func(l Lease) bool { return contains(b.Gives, l) })
	if b.Complete {
		for name, l := range m.held {
			if !contains(a.Leases, l) {
				delete(m.held, name)
				c.Lost = append(c.Lost, l)
			}
		}
	}
	m.complete = holding
	for _, l := range a.Leases {
		switch {
		case m.held[l.Name].Term == l.Term || contains(m.gives, l):
		case holding: // it was given back, and another may have taken it: the database has lost both
			m.gives = append(m.gives, l)
		default:
			m.held[l.Name] = l
			c.Taken = append(c.Taken, l)
		}
	}
	return c
}

// Next is when the beat after one that was sent then is due. A second is Every, and a little
// more where the host can push the tick by that: it has known the tick since the answer, which
// is later than the beat.
func (m *Machine) Next(sent time.Duration) time.Duration {
	next := sent + Every
	if push := m.since + Every; m.tick > 0 && push > next && push-next <= wait {
		return push
	}
	return next
}

// Failed says that a beat has no answer. It may come true all the same, also later.
func (m *Machine) Failed() { m.complete = true }

// Give gives a lease back, with the next beat. It is not acted on any more.
func (m *Machine) Give(l Lease) {
	if m.held[l.Name].Term == l.Term {
		delete(m.held, l.Name)
		m.gives = append(m.gives, l)
	}
}

// Until is when the host stops to act, unless an answer comes before.
func (m *Machine) Until() time.Duration { return m.until }

// Held are the leases of the host.
func (m *Machine) Held() map[string]Lease { return m.held }

// Acting reports whether the host may act on a lease. It is asked before each act.
func (m *Machine) Acting(now time.Duration, l Lease) bool {
	return now < m.until && l.Term != 0 && m.held[l.Name].Term == l.Term
}

func contains(list []Lease, l Lease) bool {
	return slices.ContainsFunc(list, func(o Lease) bool { return o.Name == l.Name && o.Term == l.Term })
}
