package game

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

var (
	seeds = flag.Int("seeds", 1000, "how many games the simulation plays")
	seed  = flag.Int("seed", -1, "simulate this seed alone and say what happens")
)

// TestSimulation plays whole games with random players, from the first join to
// the end, and looks at them from the players' side. A game that goes wrong is
// shortened to the fewest inputs that still do, and printed.
//
// Every thousand games must go through all that is in must.
func TestSimulation(t *testing.T) {
	if *seed >= 0 {
		g := simulate(uint64(*seed))
		t.Logf("%+v\n%v", g.cfg, g.seen)
		for _, e := range g.entries {
			t.Logf("%12v %+v %+v", e.At, e.Input, e.Input.Packet)
		}
		if g.err != nil {
			t.Fatal(g.err)
		}
		return
	}
	playSeeds(t, *seeds, 1000, must, func(seed uint64) (map[string]int, error) {
		g := simulate(seed)
		if g.err != nil {
			return nil, fmt.Errorf("%w\n%s", g.err, g.shortest())
		}
		return g.seen, nil
	})
}

// playSeeds plays a game of each seed, as many at once as there are processors, up to the first
// fault. In so many games together what is in must has to be seen at least so often, in others in proportion.
func playSeeds(t *testing.T, seeds, games int, must map[string]int, play func(seed uint64) (seen map[string]int, err error)) {
	t.Helper()
	var mu sync.Mutex
	all := map[string]int{}
	var wg sync.WaitGroup
	next := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := range next {
				seen, err := play(seed)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				mu.Lock()
				for what, n := range seen {
					all[what] += n
				}
				mu.Unlock()
			}
		})
	}
	for seed := range uint64(seeds) {
		if t.Failed() {
			break
		}
		next <- seed
	}
	close(next)
	wg.Wait()
	for _, what := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%9d %s", all[what], what)
	}
	if t.Failed() {
		return
	}
	for what, least := range must {
		if all[what] < least*seeds/games {
			t.Errorf("%d times in %d games, want %d: %s", all[what], seeds, least*seeds/games, what)
		}
	}
}

// simulated is one game that was played.
type simulated struct {
	cfg     Config
	entries []JournalItem
	err     error
	sum     uint32
	journal []byte
	seen    map[string]int
}

// simulate plays the game of a seed.
func simulate(seed uint64) *simulated {
	r := rand.New(rand.NewPCG(seed, 1))
	g := &simulated{cfg: simConfig(r)}
	c := newCrowd(r, &g.cfg)
	var j Journal
	g.journal, _ = j.Begin(nil, &g.cfg)
	p := newPlayback(g.cfg)
	for g.err = p.err; g.err == nil && !p.m.Over(); {
		at, in := c.now, Input{}
		due, ok := c.timer(p.m.Next())
		if len(c.ready) > 0 {
			in = c.ready[0]
			c.ready = c.ready[1:]
		} else if len(c.pending) > 0 && (!ok || c.pending[0].at <= due) {
			l := c.pending[0]
			at, in = l.at, l.in
			c.pending = c.pending[1:]
			if l.do != nil {
				c.now = max(c.now, at)
				if l.do(); c.err != nil {
					g.err = c.err
				}
				continue
			}
		} else if ok {
			at = due
		} else {
			g.err = fmt.Errorf("nothing is left to wait for")
			break
		}
		c.now = max(c.now, at)
		e := JournalItem{At: c.now, Input: in}
		g.entries = append(g.entries, e)
		g.journal = j.Append(g.journal, e.At, &e.Input)
		g.err = p.step(&e)
		c.machineOver = p.m.Over()
		if c.watch(&p.out); g.err == nil {
			g.err = c.err
		}
		if r.IntN(3) == 0 {
			c.stir()
		}
		if c.now > c.end+10*time.Minute || len(g.entries) > 1e6 {
			g.err = fmt.Errorf("at %v the game does not come to an end", c.now)
		}
	}
	g.sum, g.seen = p.sum, p.ref.seen
	g.seen["paused"], g.seen["voted"] = p.ref.rules.paused, p.ref.rules.voted
	if p.ref.rules.again != nil {
		g.seen["opened again"]++
	}
	g.journal = j.Check(g.journal, g.sum)
	return g
}

// playback runs inputs through a machine under the eyes of a referee.
type playback struct {
	m    *Machine
	out  Out
	ref  *referee
	sum  uint32
	idle int
	err  error
}

func newPlayback(cfg Config) *playback {
	p := &playback{ref: newReferee()}
	p.m = New(cfg, &p.out)
	p.sum = p.out.Sum(0)
	p.err = p.ref.watch(&p.out)
	return p
}

func (p *playback) step(e *JournalItem) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	p.out.Reset()
	before, hadDue := p.m.Next()
	late := time.Duration(0)
	if hadDue {
		late = max(e.At-before, 0)
	}
	p.ref.hear(e, late, p.m)
	ignored := e.Input.Kind == Packet && (!hadDue || before > e.At) && p.m.Ignores(e.At, e.Input.Link, e.Input.Packet)
	p.m.Step(e.At, &e.Input, &p.out)
	if n := len(p.out.Ops) + len(p.out.Facts); ignored && n > 0 {
		return fmt.Errorf("%T has no effect, says Ignores, but has %d: %v %v", e.Input.Packet, n, p.out.Ops, p.out.Facts)
	}
	p.sum = p.out.Sum(p.sum)
	if due, ok := p.m.Next(); e.Input.Kind == Tick && hadDue && ok && due <= before && due <= e.At {
		if p.idle++; p.idle > 100 {
			return fmt.Errorf("at %v Tick is due again and again", e.At)
		}
	} else {
		p.idle = 0
	}
	if err := p.ref.watch(&p.out); err != nil {
		return err
	}
	return p.ref.check(p.m)
}

// shortest leaves out inputs as long as the game still goes wrong.
func (g *simulated) shortest() string {
	entries := g.entries
	for size := len(entries) / 2; size > 0; {
		shorter := false
		for from := 0; from+size <= len(entries); {
			rest := append(append([]JournalItem(nil), entries[:from]...), entries[from+size:]...)
			if p := newPlayback(g.cfg); p.fails(rest) {
				entries, shorter = rest, true
			} else {
				from += size
			}
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "the shortest way there, %d of %d inputs:\n", len(entries), len(g.entries))
	for _, e := range entries {
		fmt.Fprintf(&b, "%12v %+v %+v\n", e.At, e.Input, e.Input.Packet)
	}
	return b.String()
}

func (p *playback) fails(entries []JournalItem) bool {
	for i := range entries {
		if p.step(&entries[i]) != nil {
			return true
		}
	}
	return false
}
