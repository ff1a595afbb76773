package takeover

import (
	"fmt"
	"strings"
	"testing"
)

// The model explores everything that can happen to one game during an upgrade, exhaustively: process A hosts it, the supervisor
// starts candidate B of another program, and starts C when the host has died. SIGTERM comes at any moment, and up to two processes
// are killed at any moment. Each change of a process's state is a transition of the table.

// role is what a process is told to be.
type role byte

const (
	absent role = iota
	standsBy
	hosts
	drains
	stops
	exited
	killed
)

// These states belong to the owner of a game, for whom the package has none.
const (
	released  State = 100 // another process's
	withdrawn State = 101 // of a host that stops: the request is taken back, the lock not looked at yet
)

// world is a state of the model. It is comparable.
type world struct {
	roles   [3]role
	games   [3]State
	host    int8 // the process that hosts; -1: none
	next    int8 // the candidate; -1: none
	handing bool // the host was told to hand over
	ending  bool // the supervisor was told to end
	lock    int8 // the owner; -1: free
	wish    byte // n: nothing, r: release, l: releasing
	ended   bool // the game has ended in order
	kills   int8
	behind  bool // the journal is longer than what was verified with the request
	late    bool // B would make other bytes of what has been added
}

// model explores worlds. differs: program B makes other bytes from the start.
type model struct {
	differs bool
	kills   int8
	offset  bool // a request is accepted only if the journal ends where it was verified
	from    map[world]step
	queue   []world
	faults  []string
}

type step struct {
	before world
	label  string
	moves  bool // it happens by itself, sooner or later
}

// path is how a world came about.
func (m *model) path(w world) string {
	var list []string
	for s := m.from[w]; s.label != ""; s = m.from[s.before] {
		list = append([]string{s.label}, list...)
	}
	return strings.Join(list, ", ")
}

func (m *model) fault(w world, what string) {
	if len(m.faults) < 5 {
		m.faults = append(m.faults, what+" after "+m.path(w))
	}
}

// explore visits all worlds.
func (m *model) explore() {
	first := world{roles: [3]role{hosts}, games: [3]State{Running}, next: -1, wish: 'n'}
	m.from, m.queue = map[world]step{first: {}}, []world{first}
	for len(m.queue) > 0 {
		w := m.queue[0]
		m.queue = m.queue[1:]
		moves := false
		add := func(label string, by bool, change func(*world)) {
			n := w
			change(&n)
			moves = moves || by
			if _, seen := m.from[n]; !seen {
				m.from[n] = step{w, label, by}
				m.queue = append(m.queue, n)
			}
		}
		m.supervise(w, add)
		for i := range w.roles {
			switch w.roles[i] {
			case standsBy, hosts, drains, stops:
				m.own(w, i, add)
				m.take(w, i, add)
				m.end(w, i, add)
				m.kill(w, i, add)
			}
		}
		if !moves && !w.ended && !w.isPlayed() && w.host != -1 && !m.killedWhileStopping(w) {
			m.fault(w, "the game has neither an owner nor an end")
		}
	}
}

func (w *world) isPlayed() bool {
	i := w.lock
	return i >= 0 && (w.roles[i] == hosts || w.roles[i] == drains) && w.games[i] == Running
}

// killedWhileStopping reports whether a process was killed after SIGTERM: then no other one is started.
func (m *model) killedWhileStopping(w world) bool {
	for s := m.from[w]; s.label != ""; s = m.from[s.before] {
		if strings.HasPrefix(s.label, "kill") && s.before.ending {
			return true
		}
	}
	return false
}

type adder func(label string, moves bool, change func(*world))

// supervise is what the supervisor does.
func (m *model) supervise(w world, add adder) {
	if w.host == 0 && w.next == -1 && w.roles[1] == absent && !w.ending && w.roles[0] == hosts {
		add("upgrade", false, func(w *world) { w.roles[1], w.next = standsBy, 1 })
	}
	ready := w.games[1] == CaughtUp || w.games[1] == Staying || w.games[1] == Ended
	if w.next == 1 && !w.handing && w.roles[1] == standsBy && ready && w.roles[0] == hosts {
		add("hand over", true, func(w *world) { w.roles[0], w.handing = drains, true })
	}
	if w.handing && w.roles[0] == drains && w.roles[1] == standsBy {
		add("go on", true, func(w *world) { w.roles[1], w.host, w.next, w.handing = hosts, 1, -1, false })
	}
	if !w.ending {
		add("SIGTERM", false, func(w *world) {
			for i, r := range w.roles {
				if r == standsBy {
					w.roles[i] = killed
				}
			}
			w.next, w.handing, w.ending = -1, false, true
		})
		return
	}
	for i, r := range w.roles {
		if r == hosts || r == drains {
			add(fmt.Sprint(i, " stops"), true, func(w *world) { w.roles[i] = stops })
		}
	}
}

// own is what the owner of the game does.
func (m *model) own(w world, i int, add adder) {
	if w.games[i] != Running {
		return
	}
	if w.lock != int8(i) {
		m.fault(w, fmt.Sprint(i, " plays a game that it does not own"))
	}
	leaves := func(w *world) { w.games[i], w.lock = released, -1 }
	switch r := w.roles[i]; {
	case w.wish == 'l':
		if r == drains || r == stops { // the answer commits it
			add(fmt.Sprint(i, " frees the lock"), true, leaves)
		}
		return
	case r == stops:
		add(fmt.Sprint(i, " ends the game"), true, func(w *world) { w.games[i], w.lock, w.ended = Ended, -1, true })
	case r == drains && w.wish == 'r' && (!w.behind || !m.offset):
		add(fmt.Sprint(i, " accepts"), true, func(w *world) { w.wish = 'l' })
	}
	if r := w.roles[i]; (r == hosts || r == drains) && !w.behind {
		add("a turn", false, func(w *world) { w.behind = true })
		add("a turn that B makes otherwise", false, func(w *world) { w.behind, w.late = true, true })
	}
}

// take is what a process does with a game that it does not play.
func (m *model) take(w world, i int, add adder) {
	g, differs, by := w.games[i], m.differs && i == 1, func(e Event) func(*world) {
		return func(w *world) { w.games[i].To(e) }
	}
	label := func(text string) string { return fmt.Sprint(i, " ", text) }
	claim := func(w *world) { w.games[i].To(Freed); w.lock, w.wish = int8(i), 'n' }
	free, hosting := w.lock == -1 && !w.ended, w.roles[i] == hosts
	switch {
	case g <= Staying && w.ended:
		add(label("sees the end"), true, by(Over))
	case g <= Staying && hosting && free:
		add(label("claims"), true, claim)
	case g == Inherited && w.lock != -1:
		add(label("replays"), true, by(Began))
	case g == Replaying && differs:
		add(label("differs"), true, by(Differed))
	case g == Replaying:
		add(label("has caught up"), true, by(Verified))
	case g == CaughtUp && hosting, g == Requested && hosting && w.wish == 'n':
		add(label("asks"), true, func(w *world) {
			if w.games[i].To(Asked); w.wish == 'n' {
				w.wish = 'r'
			}
		})
	case g == Requested && hosting && w.wish == 'r' && w.behind && w.late && i == 1:
		add(label("differs, and withdraws"), true, func(w *world) { w.games[i].To(Differed); w.wish, w.behind = 'n', false })
	case g == Requested && hosting && w.wish == 'r' && w.behind:
		add(label("verifies"), true, func(w *world) { w.games[i].To(Verified); w.behind = false })
	case g == Claimed && (differs || i == 1 && w.late && w.behind):
		if w.games[0] == released && !differs {
			m.fault(w, "a game that was released is lost")
		}
		add(label("abandons"), true, func(w *world) { w.games[i].To(Lost); w.lock, w.ended = -1, true })
	case g == Claimed:
		add(label("adopts"), true, by(Adopted))
	}
}

// end is how a process stops.
func (m *model) end(w world, i int, add adder) {
	g, label := w.games[i], func(text string) string { return fmt.Sprint(i, " ", text) }
	left := g == Ended || g == released || g == Forgotten || g == Abandoned
	if w.roles[i] == drains && left && !w.handing || w.roles[i] == stops && left {
		add(label("exits"), true, func(w *world) { w.roles[i] = exited })
	}
	if w.roles[i] != stops {
		return
	}
	claim := func(w *world) {
		if w.games[i] == withdrawn {
			w.games[i] = Requested
		}
		w.games[i].To(Freed)
		w.lock, w.wish = int8(i), 'n'
	}
	switch {
	case g <= Staying && w.ended:
	case g <= Staying && w.wish != 'l':
		add(label("withdraws"), true, func(w *world) { w.games[i], w.wish = withdrawn, 'n' })
	case g <= Staying && w.lock == -1, g == withdrawn && w.lock == -1 && !w.ended:
		add(label("claims while it stops"), true, claim)
	case g == withdrawn:
		add(label("forgets"), true, func(w *world) { w.games[i] = Requested; w.games[i].To(Stopped) })
	}
}

// kill is the death of a process.
func (m *model) kill(w world, i int, add adder) {
	if w.kills == m.kills {
		return
	}
	add(fmt.Sprint("kill ", i), false, func(w *world) {
		die := func(i int8) {
			w.roles[i] = killed
			if w.lock == i {
				w.lock = -1
			}
		}
		restart := func() {
			if w.host, w.next, w.handing = -1, -1, false; w.roles[2] == absent {
				w.roles[2], w.host = hosts, 2
			}
		}
		die(int8(i))
		w.kills++
		switch {
		case w.ending:
		case int8(i) == w.host:
			if w.next >= 0 {
				die(w.next)
			}
			restart()
		case int8(i) == w.next && w.handing: // the host has closed what both cannot have
			die(w.host)
			restart()
		case int8(i) == w.next:
			w.next = -1
		}
	})
}

// A game is played by one process at a time, and no way through an upgrade, SIGTERM and two deaths leaves a game without an owner
// and an end, unless a process is killed while all stop. Without the comparison of offsets a released game can be lost.
func TestModel(t *testing.T) {
	for _, differs := range []bool{false, true} {
		for kills := range int8(3) {
			m := &model{differs: differs, kills: kills, offset: true}
			m.explore()
			for _, f := range m.faults {
				t.Errorf("program differs: %v, %d kills: %s", differs, kills, f)
			}
			t.Logf("program differs: %v, %d kills: %d states", differs, kills, len(m.from))
		}
	}
	m := &model{}
	if m.explore(); len(m.faults) == 0 {
		t.Error("without offsets no game is lost: the model sees nothing")
	}
}
