package supervisor

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var walks = flag.Int("walks", 2000, "random walks of TestWalks")

// TestDiagram compares the picture in docs/survival.md with the table.
func TestDiagram(t *testing.T) {
	doc, err := os.ReadFile("../../docs/survival.md")
	if err != nil {
		t.Fatal(err)
	}
	_, picture, _ := strings.Cut(string(doc), "[*] --> Waiting\n")
	picture, _, _ = strings.Cut(picture, "```")
	states, events := map[string]State{}, map[string]Event{}
	for s := Waiting; s <= Ended; s++ {
		states[s.String()] = s
	}
	for e := Started; e <= Emptied; e++ {
		events[e.String()] = e
	}
	drawn := map[State]map[Event]State{}
	for s := Waiting; s <= Stopping; s++ {
		drawn[s] = map[Event]State{Told: Stopping} // the note
	}
	for _, arrow := range regexp.MustCompile(`(?m)^    (\w+) --> (\w+): (.*)$`).FindAllStringSubmatch(picture, -1) {
		for name := range strings.SplitSeq(arrow[3], ", ") {
			from, ok1 := states[arrow[1]]
			to, ok2 := states[arrow[2]]
			e, ok3 := events[name]
			if !ok1 || !ok2 || !ok3 {
				t.Fatalf("the picture has an arrow %q, of which the table does not know all names", arrow[0])
			}
			drawn[from][e] = to
		}
	}
	for s := Waiting; s <= Ended; s++ {
		if !maps.Equal(drawn[s], table[s]) {
			t.Errorf("from %v the picture has %v, and the table %v", s, drawn[s], table[s])
		}
	}
}

// TestTable checks that each state can be reached, and that each but the last one has a way to the end.
func TestTable(t *testing.T) {
	reach := func(from State) map[State]bool {
		seen := map[State]bool{}
		for todo := []State{from}; len(todo) > 0; todo = todo[1:] {
			for _, next := range table[todo[0]] {
				if !seen[next] {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
		return seen
	}
	for s := Waiting; s < Ended; s++ {
		if !reach(s)[Ended] || !reach(Waiting)[s] {
			t.Errorf("%v cannot be reached, or never ends", s)
		}
	}
}

// TestWalks drives machines by chance: processes fail to start, hang, say and end anything at any moment, beside signals
// and requests. In the second half of a walk nothing fails any more.
func TestWalks(t *testing.T) {
	visited := map[State]int{}
	for seed := range uint64(*walks) {
		w := newWalk(seed, false)
		w.run()
		for s, n := range w.visited {
			visited[s] += n
		}
		if len(w.faults) > 0 {
			w = newWalk(seed, true)
			w.run()
			t.Fatalf("walk %d:\n%s\n%s", seed, strings.Join(w.story, "\n"), strings.Join(w.faults, "\n"))
		}
	}
	for s := Waiting; s <= Ended; s++ {
		if visited[s] < *walks/20 {
			t.Errorf("only %d inputs have led to %v", visited[s], s)
		}
	}
}

// walk is a machine and its processes. It implements System.
type walk struct {
	r       *rand.Rand
	m       *Machine
	now     time.Duration
	list    []*walker // the processes that have not ended
	calm    bool      // nothing fails any more
	told    bool      // to stop
	asked   int       // upgrades
	refused int
	moved   int
	starts  []time.Duration // of hosts
	good    time.Duration   // when a host served last
	served  bool
	visited map[State]int
	tells   bool
	story   []string
	faults  []string
}

// walker is a process.
type walker struct {
	*walk
	id                                                     int
	path                                                   string
	began                                                  time.Duration
	waits                                                  int // upgrades that it has asked for, without an answer
	serving, ready, hangs, handing, done, ending, isKilled bool
}

func newWalk(seed uint64, tells bool) *walk {
	w := &walk{r: rand.New(rand.NewPCG(seed, 3)), visited: map[State]int{}, tells: tells}
	w.m = New(Options{Program: Program{Path: "old"}, Upgrade: "new", Good: time.Second, Beat: time.Second}, w, 0)
	return w
}

func (w *walk) run() {
	faulty := time.Duration(1+w.r.IntN(600)) * time.Second
	for w.now < faulty && w.m.State() != Ended && len(w.faults) == 0 {
		w.step()
	}
	w.calm = true
	for end := w.now + 2*time.Minute; w.now < end && w.m.State() != Ended && len(w.faults) == 0; {
		w.step()
	}
	if s := w.m.State(); s != Ended && (w.told || s != Serving) {
		w.fault("two minutes after the last fault it is in %v", s)
	}
	for _, p := range w.list {
		if p.waits > 0 {
			w.fault("process %d has no answer to its upgrade", p.id)
		}
	}
}

func (w *walk) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *walk) tell(format string, args ...any) {
	if w.tells {
		w.story = append(w.story, fmt.Sprintf("%8.1fs %-11v ", w.now.Seconds(), w.m.state)+fmt.Sprintf(format, args...))
	}
}

var (
	errBusy = errors.New("no memory")
	errGone = errors.New("no such file")
)

func (w *walk) Start(id int, path string, role Role) (Process, error) {
	if role == Host {
		w.starts = append(w.starts, w.now)
		if n := len(w.starts); n > 20 && w.now-w.starts[n-20] < 10*time.Second {
			w.fault("20 starts within 10 s")
		}
	}
	if !w.calm && w.r.IntN(4) == 0 {
		w.tell("start of %d as %v fails", id, role)
		return nil, []error{errBusy, errGone}[w.r.IntN(2)]
	}
	for _, p := range w.list {
		if w.m.Role(p.id) == role {
			w.fault("process %d is started as %d beside process %d", id, role, p.id)
		}
	}
	p := &walker{walk: w, id: id, path: path, began: w.now, hangs: !w.calm && w.m.Served && w.r.IntN(6) == 0}
	w.tell("process %d starts as %v: %s", id, role, path)
	w.list = append(w.list, p)
	return p, nil
}

func (w *walk) IsTransient(err error) bool { return errors.Is(err, errBusy) }
func (w *walk) Release(Program)            {}
func (w *walk) Hosts(Process)              {}

func (w *walk) Log(format string, args ...any) {
	w.tell("log: "+format, args...)
	if strings.HasPrefix(format, "upgrade refused") {
		w.refused++
	}
}

func (p *walker) Stopped() bool    { return false }
func (p *walker) Program() Program { return Program{Path: p.path} }

func (p *walker) Tell(o Order, text string) {
	p.tell("process %d is told %v: %s", p.id, o, text)
	switch {
	case o == Go && !p.ready:
		p.fault("process %d goes on without being ready", p.id)
	case o == Go:
		p.began = p.now
	case p.waits > 0:
		p.waits--
	case o == Refuse && !p.handing:
		p.fault("process %d has an answer that it has not asked for: %s", p.id, text)
	}
	p.handing = p.handing || o == HandOver
}

func (p *walker) Signal(s Signal) {
	p.tell("process %d gets signal %v", p.id, s)
	if s == Terminate {
		p.ending = true
		return
	}
	p.isKilled = true
	if s := p.m.state; p.m.Role(p.id) == Host && p.serving && !p.hangs && s != Reverting && s != HandingOver {
		p.fault("process %d is killed, though it serves", p.id)
	}
}

// do has the machine take an input, and looks at the result.
func (w *walk) do(input func()) {
	input()
	m := w.m
	w.visited[m.state]++
	for what, wrong := range map[string]bool{
		"a state that does not fit the host":                (m.host == nil) != (m.state == Waiting || m.state == Ended) && m.state != Stopping,
		"a state that does not fit the upgrade":             (m.order != nil) != (m.state == Preparing || m.state == HandingOver),
		"no start is planned":                               m.state == Waiting && !m.starts.planned,
		"no start of the new program is planned":            m.state == Preparing && m.next == nil && !m.order.starts.planned,
		"an upgrade without an answer, or one with two":     w.asked != w.refused+w.moved && m.order == nil || w.asked < w.refused+w.moved,
		"everything is closed, though a host served lately": m.state == Ended && !w.told && w.served && w.now-w.good < Patience,
	} {
		if wrong {
			w.fault("in %v: %s", m.state, what)
		}
	}
}

func (w *walk) say(p *walker, what Message) {
	w.tell("process %d says %v", p.id, what)
	switch {
	case what == Upgrade:
		p.waits++
		w.asked++
	case what == Done && w.m.state == HandingOver:
		w.moved++
	}
	w.do(func() { w.m.Hear(w.now, p.id, what, "") })
}

// exit ends a process.
func (w *walk) exit(p *walker) {
	w.tell("process %d ends", p.id)
	w.list = slices.DeleteFunc(w.list, func(o *walker) bool { return o == p })
	w.do(func() { w.m.Exited(w.now, p.id, 3) })
}

// live has a process do something by chance.
func (w *walk) live(p *walker) {
	n := w.r.IntN(100)
	switch role := w.m.Role(p.id); {
	case role == None && !p.isKilled:
		w.fault("process %d is forgotten and not killed", p.id)
	case p.isKilled, p.ending && n < 30, !w.calm && n < 2:
		w.exit(p)
	case p.hangs:
	case !w.calm && n == 2 && w.m.Served: // the first host may take as long as it likes
		p.hangs = true
	case role == Leaving:
		p.ending = p.ending || n > 95
		w.say(p, Alive)
	case role != Host:
		p.ready = p.ready || n < 20
		w.say(p, map[bool]Message{true: Ready, false: Busy}[p.ready])
	case p.handing && !p.done && (w.calm || n < 30):
		p.done = true
		w.say(p, Done)
	case p.ending || p.handing:
	case !p.serving && (w.calm || n < 30):
		p.serving = true
		w.say(p, IsServing)
	case n == 3 && !w.calm && w.r.IntN(20) == 0:
		p.ending, w.told = true, true
		w.say(p, Ending)
	case n < 10 && !w.calm:
		w.say(p, Upgrade)
	case p.serving && n < 20:
		w.say(p, KeepStandby)
	case p.serving:
		w.say(p, Alive)
	}
}

// step has half a second pass.
func (w *walk) step() {
	for _, p := range slices.Clone(w.list) {
		w.live(p)
	}
	switch n := w.r.IntN(1500); {
	case w.calm:
	case n < 30:
		w.asked++
		w.do(func() { w.m.Upgrade(w.now) })
	case n == 30:
		w.told = true
		w.do(func() { w.m.Terminate(w.now) })
	}
	for end := w.now + 500*time.Millisecond; w.now < end && w.m.state != Ended; {
		w.now = max(w.now, min(end, w.m.Due()))
		w.do(func() { w.m.Tick(w.now) })
	}
	if h := w.m.host; h != nil {
		if p := h.Process.(*walker); p.serving && !p.hangs && w.now-p.began >= w.m.Good {
			w.good, w.served = w.now, true
		}
	}
}
