package survive

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"w3host/game"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
)

var seeds = flag.Int("seeds", 60, "games that are simulated with crashes")

// A simulation plays a lobby and its game over a kernel that is simulated, too, and kills the
// process at a chosen place: before or after any read, store, step and write, also while
// the game is made again. The next goes on with what a real one would have: the shared
// memory, the sockets and their counts. Each client must have been sent the same bytes as
// in the run that nobody disturbed.
//
// One player has the map, one downloads it, one sits behind a proxy whose connection breaks
// in the game, and somebody leaves the lobby. All are decided by the seed.

// fault switches off a part of what is shown: the controls that must fail.
type fault int

const (
	noFault      fault = iota
	noFlight           // the read under way is forgotten
	noRest             // the beginnings of packets are forgotten
	noUnsent           // what the kernel has and has not sent yet is not counted
	noNewSockets       // the machine goes by what the process before has said of sockets
	noParts            // the places of parts of the map among the packets are not noted
	noSkips            // packets that only the proxy counts are not noted one by one
	noExtensions       // packets of proxies are not noted
)

// turns are those of a simulation: the lobby takes some 40 of them.
const turns = 110

// open begins a simulation.
func open(seed uint64, fault fault, next func() int) (*world, *process, []*client) {
	w := &world{random: rand.New(rand.NewPCG(seed, 1)), fault: fault, left: next()}
	script := rand.New(rand.NewPCG(seed, 2))
	data := make([]byte, mapSize)
	for i := range data {
		data[i] = byte(script.Uint32())
	}
	w.parts, _ = mapxfer.NewParts(data) // of a size that fits
	clients := []*client{
		{name: "Owner", has: true, joins: 0},
		{name: "Visitor", has: true, joins: 1, leaves: 3 + script.IntN(4)},
		{name: "Loader", joins: 2 + script.IntN(4)},
		{name: "Proxied", has: script.IntN(2) == 0, joins: 14, version: 1 + script.Uint32N(2), breaks: 8 + script.IntN(10)},
	}
	for i, c := range clients {
		c.at, c.r = -1, rand.New(rand.NewPCG(seed, uint64(10+i)))
	}
	return w, w.begin(), clients
}

// play plays a game and returns what each client was sent, on each of its connections.
// next says after how many steps the next process is killed.
func play(seed uint64, fault fault, next func() int, follow *rand.Rand) (streams [][]byte, w *world) {
	w, p, clients := open(seed, fault, next)
	w.follow, w.swift = follow, seed%2 == 1
	for n := range turns {
		w.now += 50 * time.Millisecond
		for _, c := range clients {
			if n == turns-1 {
				c.last(w)
			} else {
				c.act(w, n)
			}
		}
		w.run(&p, next, (*process).turn)
	}
	for range 100 { // what still waits
		for _, s := range w.sockets {
			if !s.over {
				s.drain(s.room)
			}
		}
		w.run(&p, next, func(p *process) { p.flush(true) })
	}
	for _, s := range w.sockets {
		streams = append(streams, s.client)
	}
	for _, c := range clients {
		w.played += c.turns
		w.loaded += len(c.file)
	}
	return streams, w
}

// never kills nobody.
func never() int { return 1 << 40 }

// once kills at one step, and nobody after that.
func once(step int) func() int {
	return func() int {
		now := step
		step = never()
		return now
	}
}

// crash plays a game with and without deaths, and returns what differs.
func crash(seed uint64, fault fault, next func() int, follow *rand.Rand) (w *world, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			w, err = new(world), fmt.Errorf("seed %d: %v", seed, caught)
		}
	}()
	want, calm := play(seed, noFault, never, nil)
	got, w := play(seed, fault, next, follow)
	if calm.played == 0 || calm.loaded < mapSize || len(want) < 4 {
		return w, fmt.Errorf("seed %d: %d turns were played, %d bytes of the map downloaded, on %d connections", seed, calm.played, calm.loaded, len(want))
	}
	for i := range want {
		if !bytes.Equal(want[i], got[i]) {
			at := 0
			for at < min(len(want[i]), len(got[i])) && want[i][at] == got[i][at] {
				at++
			}
			return w, fmt.Errorf("seed %d: connection %d got %d bytes and not %d; they differ from byte %d on", seed, i, len(got[i]), len(want[i]), at)
		}
	}
	return w, nil
}

// random kills after a random number of steps, often soon after the last death.
func random(seed uint64) func() int {
	r := rand.New(rand.NewPCG(seed, 3))
	most := 12
	if seed%2 == 1 {
		most = 8
	}
	return func() int { return 1 + r.IntN(1<<(2+r.IntN(most))) }
}

func TestCrashes(t *testing.T) {
	deaths := 0
	for seed := range uint64(*seeds) {
		w, err := crash(seed, noFault, random(seed), nil)
		if err != nil {
			t.Fatal(err)
		}
		deaths += w.deaths
	}
	if deaths < *seeds*5 {
		t.Errorf("only %d deaths in %d games", deaths, *seeds)
	}
	t.Logf("%d deaths in %d games", deaths, *seeds)
}

// A game that is run along and taken over, again and again, by processes that are also
// killed meanwhile.
func TestHandOver(t *testing.T) {
	deaths, taken := 0, 0
	for seed := range uint64(*seeds) {
		next := never
		if seed%2 == 0 {
			next = random(seed)
		}
		w, err := crash(seed, noFault, next, rand.New(rand.NewPCG(seed, 4)))
		if err != nil {
			t.Fatal(err)
		}
		deaths, taken = deaths+w.deaths, taken+w.taken
	}
	if deaths < *seeds*2 || taken < *seeds*4 {
		t.Errorf("only %d deaths and %d games taken over", deaths, taken)
	}
	t.Logf("%d deaths, %d games taken over in %d games", deaths, taken, *seeds)
}

// One death at each step of one game, and nowhere else.
func TestCrashAtEveryStep(t *testing.T) {
	for step, deaths := 1, 1; deaths > 0 || step < 400; step += 1 + step/40 {
		w, err := crash(1, noFault, once(step), nil)
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		deaths = w.deaths
	}
}

// What the controls leave out is needed.
func TestControls(t *testing.T) {
	for name, fault := range map[string]fault{
		"flight": noFlight, "rest": noRest, "unsent": noUnsent, "new sockets": noNewSockets,
		"parts": noParts, "skips": noSkips, "extensions": noExtensions,
	} {
		found := false
		for seed := uint64(0); seed < 1000 && !found; seed++ {
			_, err := crash(seed, fault, random(seed), nil)
			found = err != nil
		}
		if !found {
			t.Errorf("nothing differs without the %s", name)
		}
	}
}

// started is a game that runs.
func started(seed uint64) (*world, *process, []*client) {
	w, p, clients := open(seed, noFault, never)
	for n := 0; clients[0].turns < 4; n++ {
		w.now += 50 * time.Millisecond
		for _, c := range clients {
			c.act(w, n)
		}
		w.run(&p, never, (*process).turn)
	}
	return w, p, clients
}

// An action that ends the process is taken twice, once by the process that got it and once
// by the next; then it is left out, and the others play on.
func TestPoison(t *testing.T) {
	w, p, clients := started(1)
	turn := func() {
		w.now += 100 * time.Millisecond
		w.run(&p, never, (*process).turn)
	}
	turn()
	w.poison = func(f game.Fact) bool {
		a, acted := f.(*game.Acted)
		return acted && bytes.Equal(a.Data, []byte("poison"))
	}
	clients[2].send(&w3gs.OutgoingAction{Data: []byte("poison")})
	clients[2].last(w)
	turn()
	if w.deaths != 2 || !slices.Equal(w.skipped, []game.LinkID{3}) {
		t.Fatalf("%d deaths, left out of links %v", w.deaths, w.skipped)
	}
	for range 5 {
		turn()
	}
	p = nil // one more death, of something else: the action stays left out
	turn()
	if w.deaths != 2 || p.m.Over() || !slices.Equal(w.skipped, []game.LinkID{3, 3}) {
		t.Errorf("%d deaths, left out %v, over %v", w.deaths, w.skipped, p.m.Over())
	}
}

// A game in which the process dies by itself, again and again, is given up.
func TestPoisonedTick(t *testing.T) {
	w, p, _ := started(1)
	w.now += 100 * time.Millisecond
	w.run(&p, never, (*process).turn)
	w.poison = func(f game.Fact) bool { _, turned := f.(*game.Turned); return turned }
	defer func() {
		if fault := fmt.Sprint(recover()); fault != "the host has died in it 3 times in a row" || w.deaths != mostTries {
			t.Errorf("after %d deaths: %v", w.deaths, fault)
		}
	}()
	for range 10 {
		w.now += 100 * time.Millisecond
		w.run(&p, never, (*process).turn)
	}
}

// Whatever a note says, reading it ends.
func FuzzNote(f *testing.F) {
	f.Add(noteBase, []byte{1, 5, 5, 2, 'a', 'b', 'c'})
	f.Add(noteRest, []byte{1, 'a'})
	f.Add(noteDone, []byte{1, 3})
	f.Fuzz(func(_ *testing.T, number byte, text []byte) {
		v := &Rerun{Revived: &Revived{Links: map[game.LinkID]*Link{1: {ID: 1, Held: true}}}, written: map[game.LinkID]uint64{1: 100}}
		for range 2 {
			if v.note(number, text) != nil {
				return
			}
		}
	})
}
