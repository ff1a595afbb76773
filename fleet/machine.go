// Package fleet implements leases with which one of several hosts claims something that may exist only once:
// the lobby of an autohost entry, or an account on a realm. A host's leases belong to a session in the
// database, which a heartbeat every second keeps alive.
//
// Machine is the state machine of one host: it creates each Beat and processes the Answer. Package host runs
// it, package storage executes its beats in the database, and package game/autohost decides which leases to
// request. Machine does no I/O and has no goroutines.
//
// Time is a tick counter in the database. Hosts advance it by their own clocks, so that two advances are
// never less than a second apart; wall clocks do not matter. A session expires when the tick is eleven above
// its last beat, that is after at least ten seconds. A holder acts for eight seconds after sending its last
// successful beat. The two seconds in between allow for clocks that run at different speeds.
package fleet

import (
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// Every is the interval between two beats.
	Every = time.Second
	// actFor is how long a host acts on its leases after sending a successful beat.
	actFor = 8 * time.Second
	// wait is how long a beat may be delayed so that it can advance the tick.
	wait = 250 * time.Millisecond
	// mostPools limits the pools requested in one beat.
	mostPools = 8
)

// Lease is the exclusive right to something that may exist only once.
type Lease struct {
	Name   string
	Pool   string
	Term   int64 // number of holders so far
	Number int64 // number drawn from the pool's counter for this term; never drawn again
}

// Want requests leases of a pool.
type Want struct {
	Pool    string
	Most    int // number of further leases wanted
	Held    int // leases of the same kind that this host holds
	Highest int // highest number of a lease that may be taken
}

// Load is a host's report about itself, sent with each beat.
type Load struct {
	Places   int // number of lobbies and games
	Draining bool
	Most     int // limit for the places of all hosts together; 0 means no limit
}

// Beat is a host's message to the database.
type Beat struct {
	Number   int64 // beats with a lower number are ignored
	Seen     int64 // tick that the host has known for at least a second; 0 if none
	Wants    []Want
	Gives    []Lease
	Complete bool // request all leases of the session
	Load     Load
}

// Answer is the database's reply to a beat.
type Answer struct {
	Buried bool // the session no longer exists
	Tick   int64
	Leases []Lease // leases taken with this beat, or all leases of the session if requested
	Hold   int64   // no leases are granted before this tick, because a new database server may lack the last changes
	Places int     // lobbies and games of all hosts
	Hosts  int     // number of hosts that accept lobbies
}

// Change lists the leases gained and lost with an answer.
type Change struct {
	Taken, Lost []Lease
}

// Machine tracks the leases of one host. Its time must also advance while the computer sleeps, and must not
// be adjusted. It is not safe for concurrent use.
type Machine struct {
	random   *rand.Rand
	number   int64
	tick     int64
	since    time.Duration // time at which the current tick was learned
	hold     int64         // value from the last answer
	until    time.Duration // time until which the host may act
	complete bool          // request all leases with the next beat
	held     map[string]Lease
	gives    []Lease
}

// New returns a Machine without a session. The seed determines which pools are requested first if there are
// many.
func New(seed uint64) *Machine {
	return &Machine{random: rand.New(rand.NewPCG(seed, seed)), held: map[string]Lease{}}
}

// Beat returns the next beat to send.
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

// Answered processes the answer to a beat sent at the given time. After an answer with Buried, the machine is
// reset and the caller must open a new session.
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
	if holding && now >= m.until || (holding || another) && !b.Complete { // another host may hold this host's leases
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
		case holding: // it was given back and another host may have taken it; the database has lost both changes
			m.gives = append(m.gives, l)
		default:
			m.held[l.Name] = l
			c.Taken = append(c.Taken, l)
		}
	}
	return c
}

// Next returns when the next beat is due, given when the last one was sent. This is Every later, or slightly
// more if the beat can then advance the tick: the host must have known the tick for a second, counted from
// the answer.
func (m *Machine) Next(sent time.Duration) time.Duration {
	next := sent + Every
	if push := m.since + Every; m.tick > 0 && push > next && push-next <= wait {
		return push
	}
	return next
}

// Failed reports that a beat got no answer. The database may still execute it, even later.
func (m *Machine) Failed() { m.complete = true }

// Give returns a lease with the next beat. The host must stop acting on it before.
func (m *Machine) Give(l Lease) {
	if m.held[l.Name].Term == l.Term {
		delete(m.held, l.Name)
		m.gives = append(m.gives, l)
	}
}

// Until returns when the host must stop acting, unless an answer arrives before.
func (m *Machine) Until() time.Duration { return m.until }

// Held returns the host's leases by name. The caller must not modify the map.
func (m *Machine) Held() map[string]Lease { return m.held }

// Acting reports whether the host may act on a lease now. Call it before each action.
func (m *Machine) Acting(now time.Duration, l Lease) bool {
	return now < m.until && l.Term != 0 && m.held[l.Name].Term == l.Term
}

func contains(list []Lease, l Lease) bool {
	return slices.ContainsFunc(list, func(o Lease) bool { return o.Name == l.Name && o.Term == l.Term })
}
