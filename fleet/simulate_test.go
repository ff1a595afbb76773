package fleet

import (
	"cmp"
	"container/heap"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var seeds = flag.Int("seeds", 1_000, "schedules of TestNeverTwo")

// faults are how a schedule misbehaves: chances of a beat, or of a second.
type faults struct {
	lost, late, slow float64 // of requests or answers: gone; come true up to 20 s later; answered after almost 2 s
	cut, freeze      float64 // of a host, each second
	away, failover   float64 // of the database
	step             float64 // of a wall clock
	give             float64 // of a lease, with each beat
	apart            bool    // clocks run 10 % slow or fast, and nothing between
}

// everyFault is what hosts have to live with.
var everyFault = faults{lost: .02, late: .03, slow: .05, cut: .02, freeze: .01, away: .01, failover: .004, step: .02, give: .05}

const (
	simHosts  = 4
	simFor    = 70 * time.Second // then all is well for calm
	simCalm   = 30 * time.Second
	timeLimit = 2 * time.Second // of an answer
)

type event struct {
	at time.Duration
	do func()
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// control is a fault of the protocol that a simulation has to find.
type control struct {
	name       string
	aimed      faults // a schedule at it
	noFence    bool   // a host acts on what it holds, whatever its clock says
	fromAnswer bool   // it acts for ten seconds from the answer on
	in         func(*sim)
}

var controls = []control{
	{name: "no fence", noFence: true, aimed: faults{cut: .05}},
	{name: "wall clock", aimed: faults{step: .2}, in: func(s *sim) { s.db.wall = func() int64 { return int64((s.now + s.stepped) / time.Second) } }},
	{name: "until from the answer", fromAnswer: true, aimed: faults{slow: .5, cut: .1, apart: true}},
	{
		name: "old beats count, and gives need no term", aimed: faults{late: .3, give: .5},
		in: func(s *sim) { s.db.oldBeats, s.db.anyTerm = true, true },
	},
	{name: "no hold after a failover", aimed: faults{failover: .1, cut: .05, freeze: .03, give: .3}, in: func(s *sim) { s.db.noHold = true }},
}

// sim is a database and its hosts in virtual time.
type sim struct {
	control
	faults
	random  *rand.Rand
	queue   events
	now     time.Duration
	db      *model
	copy    *model
	away    time.Duration // the database does not answer before
	stepped time.Duration
	hosts   []*simHost
	ids     int
	fault   string
}

type simHost struct {
	*sim
	*Machine
	rate       float64 // of its clock
	id         int
	cut, until time.Duration // without the database, frozen
}

func (h *simHost) clock() time.Duration { return time.Duration(float64(h.now) * h.rate) }

func (s *sim) after(d time.Duration, do func()) { heap.Push(&s.queue, event{s.now + d, do}) }

func (s *sim) chance(p float64) bool { return p > 0 && s.now < simFor && s.random.Float64() < p }

func (s *sim) upTo(d time.Duration) time.Duration { return time.Duration(s.random.Int64N(int64(d))) }

// run plays one schedule and says what went wrong.
func (s *sim) run(seed uint64) string {
	s.random = rand.New(rand.NewPCG(seed, 33))
	s.db = newModel([]string{"a/1", "a/2", "b/1", "b/2", "b/3"})
	if s.in != nil {
		s.in(s)
	}
	s.copy = s.db.copied()
	for i := range simHosts {
		h := &simHost{sim: s, Machine: New(seed + uint64(i)), rate: .9 + .2*s.random.Float64()}
		if s.apart {
			h.rate = []float64{.9, 1.1}[i%2]
		}
		s.hosts = append(s.hosts, h)
		s.after(s.upTo(time.Second), h.begin)
	}
	s.after(0, s.second)
	for len(s.queue) > 0 && s.now < simFor+simCalm && s.fault == "" {
		e := heap.Pop(&s.queue).(event)
		s.now = e.at
		e.do()
	}
	return cmp.Or(s.fault, s.idle())
}

// second brings what each second may bring.
func (s *sim) second() {
	s.after(time.Second, s.second)
	if s.chance(s.faults.away) {
		s.away = s.now + s.upTo(12*time.Second)
	}
	if s.chance(s.step) {
		s.stepped += s.upTo(40*time.Second) - 20*time.Second
	}
	if s.chance(s.failover) {
		s.db.follow(s.copy)
		s.away = max(s.away, s.now+s.upTo(2*time.Second))
	}
	if s.copy = s.db; s.faults.failover > 0 {
		s.copy = s.db.copied()
	}
	for _, h := range s.hosts {
		if s.chance(s.faults.cut) {
			h.cut = s.now + s.upTo(20*time.Second)
		}
		if s.chance(s.freeze) {
			h.until = s.now + s.upTo(16*time.Second)
		}
	}
}

// idle names a lease that nobody acts on when all has been well for a while.
func (s *sim) idle() string {
	for _, l := range s.db.leases {
		acts := false
		for _, h := range s.hosts {
			acts = acts || h.Acting(h.clock(), h.held[l.name])
		}
		if !acts && s.noFault() {
			return "nobody acts on " + l.name
		}
	}
	return ""
}

// noFault reports whether it is the protocol that the project has.
func (s *sim) noFault() bool { return s.control.name == "" }

// begin enters a session, and sends a beat each second from then on.
func (h *simHost) begin() {
	h.ids++
	h.id = h.ids
	id := h.id
	h.reach(func() { h.db.enter(id) }, func() { h.send() }, func() { h.after(time.Second, h.begin) })
}

// reach brings a request to the database, and its answer back, or fails. A request may come
// true though it has failed. Exactly one of then and fail is called, as soon as the host is
// not frozen.
func (h *simHost) reach(do, then, fail func()) {
	ended := false
	end := func(f func()) func() {
		var again func()
		again = func() {
			switch {
			case ended:
			case h.now < h.until:
				h.after(h.until-h.now, again)
			default:
				ended = true
				f()
			}
		}
		return again
	}
	h.after(time.Duration(float64(timeLimit)/h.rate), end(fail))
	there, back := h.upTo(30*time.Millisecond), h.upTo(30*time.Millisecond)
	switch {
	case h.now < h.cut || h.chance(h.lost):
		return
	case h.chance(h.late):
		there = h.upTo(20 * time.Second)
	case (!h.apart || h.rate < 1) && h.chance(h.slow):
		back = 1900 * time.Millisecond
	}
	h.after(there, func() {
		if h.now < h.away {
			return
		}
		do()
		if h.chance(h.lost) || h.now < h.cut {
			return
		}
		h.after(back, end(then))
	})
}

func (h *simHost) send() {
	if h.chance(h.give) {
		for _, name := range slices.Sorted(maps.Keys(h.held))[:min(1, len(h.held))] {
			h.Give(h.held[name])
		}
	}
	sent, m := h.clock(), h.Machine
	want := Want{Pool: "a", Most: max(0, 3-len(h.held))}
	if h.chance(.3) { // it has enough
		want.Most = 0
	}
	b := h.Beat(sent, []Want{want}, Load{})
	var a Answer
	again := func() {
		h.after(max(0, time.Duration(float64(h.Next(sent)-h.clock())/h.rate)), h.send)
	}
	id := h.id
	h.reach(func() { a = h.db.beat(id, &b) }, func() {
		if h.Machine != m {
			return
		}
		from := sent
		if h.fromAnswer {
			from = h.clock() + timeLimit
		}
		h.Answered(from, h.clock(), &b, &a)
		h.look()
		if a.Buried {
			h.begin()
			return
		}
		again()
	}, func() { h.Failed(); again() })
}

// look finds another host that acts, or will, on what this host acts on.
func (h *simHost) look() {
	for name := range h.held {
		for _, o := range h.hosts {
			if o == h || o.held[name].Term == 0 {
				continue
			}
			from, till := max(h.now, o.until), min(h.ends(), o.ends())
			if from < till {
				h.fault = fmt.Sprintf("%s at %v: two act on it, until %v", name, h.now, till)
			}
		}
	}
}

// ends is when a host stops to act, as the simulation's clock has it.
func (h *simHost) ends() time.Duration {
	if h.noFence {
		return 1 << 62
	}
	return time.Duration(float64(h.Machine.until) / h.rate)
}

// Whatever is late, lost or frozen, no two hosts act on a lease; and when all is well again,
// each has somebody who does.
func TestNeverTwo(t *testing.T) {
	t.Parallel()
	var next, moved atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				seed := next.Add(1)
				if seed > int64(*seeds) || t.Failed() {
					return
				}
				s := sim{faults: everyFault}
				if int(seed)%2 == 0 { // a schedule that is aimed at one of the controls
					s.faults = controls[int(seed/2)%len(controls)].aimed
				}
				if why := s.run(uint64(seed)); why != "" {
					t.Errorf("seed %d: %s", seed, why)
				}
				for _, l := range s.db.leases {
					moved.Add(l.term)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d schedules; leases changed hands %d times", *seeds, moved.Load())
}

// The simulation finds each fault that the protocol could have.
func TestControlsFail(t *testing.T) {
	t.Parallel()
	const tries = 400
	for _, c := range controls {
		found := 0
		why := ""
		for seed := range uint64(tries) {
			s := sim{control: c, faults: c.aimed}
			if fault := s.run(seed); fault != "" {
				found++
				why = fault
			}
		}
		if found == 0 {
			t.Errorf("%s: not found in %d schedules", c.name, tries)
		}
		t.Logf("%s: %d of %d schedules; %s", c.name, found, tries, why)
	}
}
