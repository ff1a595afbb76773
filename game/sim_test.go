package game

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

var seeds = flag.Int("seeds", 1000, "how many games the simulation plays")

// TestSimulation plays whole games with random players, from the first join to
// the end, and looks at them from the players' side. A game that goes wrong is
// shortened to the fewest inputs that still do, and printed.
func TestSimulation(t *testing.T) {
	var wg sync.WaitGroup
	next := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := range next {
				if g := simulate(seed); g.err != nil {
					t.Errorf("seed %d: %v\n%s", seed, g.err, g.shortest())
				}
			}
		})
	}
	for seed := range uint64(*seeds) {
		if t.Failed() {
			break
		}
		next <- seed
	}
	close(next)
	wg.Wait()
}

// simulated is one game that was played.
type simulated struct {
	cfg     Config
	entries []Entry
	err     error
	sum     uint32
	started bool
	resumed int // connections that went on
	journal []byte
	rules   ledger
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
		due, ok := p.m.Next()
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
			at = (due + clock - 1).Truncate(clock)
		} else {
			g.err = fmt.Errorf("nothing is left to wait for")
			break
		}
		c.now = max(c.now, at)
		e := Entry{At: c.now, Input: in}
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
		if len(g.entries) > 20000 {
			g.err = fmt.Errorf("the game does not come to an end")
		}
	}
	g.sum, g.started, g.resumed, g.rules = p.sum, p.ref.play, c.resumed, p.ref.rules
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

func (p *playback) step(e *Entry) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	p.out.Reset()
	before, hadDue := p.m.Next()
	p.m.Step(e.At, &e.Input, &p.out)
	p.sum = p.out.Sum(p.sum)
	if due, ok := p.m.Next(); e.Input.Kind == Tick && hadDue && ok && due <= before && due <= e.At {
		if p.idle++; p.idle > 100 {
			return fmt.Errorf("at %v Tick is due again and again", e.At)
		}
	} else {
		p.idle = 0
	}
	return p.ref.watch(&p.out)
}

// shortest leaves out inputs as long as the game still goes wrong.
func (g *simulated) shortest() string {
	entries := g.entries
	for size := len(entries) / 2; size > 0; {
		shorter := false
		for from := 0; from+size <= len(entries); {
			rest := append(append([]Entry(nil), entries[:from]...), entries[from+size:]...)
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

func (p *playback) fails(entries []Entry) bool {
	for i := range entries {
		if p.step(&entries[i]) != nil {
			return true
		}
	}
	return false
}

// TestSimulationPlays makes sure that the simulation gets anywhere.
func TestSimulationPlays(t *testing.T) {
	started, resumed, remade, paused, voted := 0, 0, 0, 0, 0
	for seed := range uint64(300) {
		g := simulate(seed)
		resumed += g.resumed
		paused += g.rules.paused
		voted += g.rules.voted
		if g.started {
			started++
		}
		if g.rules.again != nil {
			remade++
		}
	}
	if started < 150 {
		t.Errorf("%d of 300 games started", started)
	}
	if remade < 5 || paused < 5 || voted < 10 {
		t.Errorf("%d games played again, %d pauses, %d votes passed", remade, paused, voted)
	}
	if resumed < 60 {
		t.Errorf("%d connections were resumed", resumed)
	}
}
