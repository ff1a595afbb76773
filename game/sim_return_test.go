package game

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

var returnSeeds = flag.Int("returns", 200, "how many games the simulation of returns plays")

// TestReturns plays games whose players' clients crash at random and come back with new ones:
// while they load, on the lag screen, at once, during another's return, again and again. Every
// client that is in the game, old or new, must have been sent the same packets of the game
// from its start, byte for byte; the others must get the same with and without a return, up to
// its end; and the inputs give the same orders when they are run again.
func TestReturns(t *testing.T) {
	must := map[string]int{
		"came back": 300, "came back behind a lag screen": 50, "came before the old line was given up": 20, "came back twice": 40, "two came back at once": 20, "crashed while loading": 50,
		"crashed while it was shown the game": 30, "was shown an empty turn": 300, "was shown a leave": 30, "gave up": 20,
		"was shown a turn of several packets": 30, "all were gone": 5, "the game stood still for one": 50, "was put out, having another game": 5, "the history was packed": 10,
	}
	playSeeds(t, *returnSeeds, 300, must, func(seed uint64) (map[string]int, error) {
		g := playReturns(seed, false, nil)
		without := playReturns(seed, true, nil)
		err := g.err
		if n := min(g.alike, without.alike, len(without.master), len(g.master)); err == nil && !slices.EqualFunc(g.master[:n], without.master[:n], bytes.Equal) {
			err = fmt.Errorf("the players get other packets than if nobody had come back")
		}
		return g.seen, err
	})
}

// TestReturnControls: what the simulation is to find is found.
func TestReturnControls(t *testing.T) {
	for name, spoil := range map[string]func(n int, f w3gs.Frame) [][]byte{
		"an empty turn is left out": func(_ int, f w3gs.Frame) [][]byte {
			if f.Op() == w3gs.OpIncomingAction && f[4] == 0 && f[5] == 0 {
				return nil
			}
			return [][]byte{f}
		},
		"a turn comes twice": func(n int, f w3gs.Frame) [][]byte {
			if n == 7 {
				return [][]byte{f, f}
			}
			return [][]byte{f}
		},
		"two turns are one": func(_ int, f w3gs.Frame) [][]byte {
			if f.Op() == w3gs.OpIncomingAction && len(f) == 6 && f[4] == 100 {
				return [][]byte{append(append([]byte(nil), f[:4]...), 200, 0)}
			}
			return [][]byte{f}
		},
		"a leave is left out": func(_ int, f w3gs.Frame) [][]byte {
			if f.Op() == w3gs.OpPlayerLeave {
				return nil
			}
			return [][]byte{f}
		},
	} {
		found := false
		for seed := range uint64(60) {
			if found = found || playReturns(seed, false, spoil).err != nil; found {
				break
			}
		}
		if !found {
			t.Errorf("%s, and nothing was found", name)
		}
	}
}

// returnGame is one game of TestReturns.
type returnGame struct {
	r       *rand.Rand
	m       *Machine
	out     Out
	now     time.Duration
	entries []JournalItem
	sum     uint32
	err     error
	seen    map[string]int
	spoil   func(n int, f w3gs.Frame) [][]byte
	nobody  bool // comes back

	master  [][]byte // the packets of the game, from its start
	alike   int      // how much of it there was when somebody first came back, or a place was first given up
	players []*returnPlayer
	clients map[LinkID]*returnClient
	seats   [w3gs.MaxPID + 1]*returnClient
	link    LinkID
	queue   []later
	playing bool
	screen  bool
	empty   bool // nobody is in the game
}

// returnPlayer is somebody who plays, with one client after the other.
type returnPlayer struct {
	name    string
	r       *rand.Rand // of what the player does, whatever others do
	speed   time.Duration
	trip    time.Duration
	loads   time.Duration
	proxied bool
	differs bool // the next client runs another game
	client  *returnClient
	backs   int
	quits   bool
}

// returnClient is a client: what it was sent, and its picture of the game.
type returnClient struct {
	of      *returnPlayer
	link    LinkID
	seat    bool
	again   bool // it is not the first
	loaded  bool
	dead    bool
	crashed bool
	proxied bool // the host waits for its proxy
	n       int  // packets of the game
	crc     uint32
	busy    time.Duration // it has computed what it was sent by then
	odd     bool
}

func newReturnGame(cfg *Config, r *rand.Rand) *returnGame {
	g := &returnGame{r: r, seen: map[string]int{}, clients: map[LinkID]*returnClient{}, alike: 1 << 30}
	g.m = New(*cfg, &g.out)
	g.sum = g.out.Sum(0)
	g.carryOut()
	return g
}

func playReturns(seed uint64, nobody bool, spoil func(int, w3gs.Frame) [][]byte) *returnGame {
	r := rand.New(rand.NewPCG(seed, 29))
	cfg := returnConfig(r)
	g := newReturnGame(&cfg, r)
	g.nobody, g.spoil = nobody, spoil
	for i := range 2 + r.IntN(4) {
		g.enter(i, &cfg)
	}
	end := 15*time.Second + time.Duration(r.IntN(25))*time.Second
	g.after(4*time.Second, func() { g.step(Input{Kind: Command, Line: "start force", Caller: operator}) })
	g.after(end, func() { g.step(Input{Kind: Stop, Why: "the end"}) })
	for _, p := range g.players {
		g.fate(p, end)
	}
	g.run(end)
	if g.m.returns.history.packed != nil {
		g.seen["the history was packed"]++
	}
	g.rerun(cfg)
	return g
}

// TestTimeToComeBack measures how long it takes to see games of the lengths in docs/watching.md,
// for a client that runs them eight times as fast.
func TestTimeToComeBack(t *testing.T) {
	lengths := []time.Duration{5 * time.Minute}
	if testing.Verbose() {
		lengths = append(lengths, 20*time.Minute, time.Hour)
	}
	for _, length := range lengths {
		for _, still := range []bool{false, true} {
			took := timeToComeBack(t, length, still)
			t.Logf("a game of %v, it stands still %v: %v", length, still, took.Round(100*time.Millisecond))
			if most := length/7 + 5*time.Second; took > most {
				t.Errorf("a game of %v takes %v", length, took)
			}
		}
	}
}

func timeToComeBack(t *testing.T, length time.Duration, still bool) time.Duration {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	cfg := returnConfig(r)
	cfg.Turns.Period, cfg.Turns.SyncLimit, cfg.Turns.LoadInGame, cfg.Reconnect = 100*time.Millisecond, 50, false, Reconnect{}
	cfg.Return.StandStill, cfg.Return.Wait, cfg.Return.CatchUp, cfg.Return.Times = still, time.Hour, time.Hour, 3
	g := newReturnGame(&cfg, r)
	for i := range 2 {
		g.enter(i, &cfg)
		p := g.players[i]
		p.trip, p.loads, p.speed = 25*time.Millisecond, time.Second, 100*time.Millisecond/8
	}
	bob := g.players[1]
	var back time.Duration
	g.after(4*time.Second, func() { g.step(Input{Kind: Command, Line: "start force", Caller: operator}) })
	g.after(length, func() { g.crash(bob, time.Second, false, true) })
	for g.err == nil && back == 0 && g.now < 2*length+time.Minute {
		if due, ok := g.m.Next(); len(g.queue) > 0 && (!ok || g.queue[0].at <= due) {
			l := g.queue[0]
			g.queue, g.now = g.queue[1:], max(g.now, l.at)
			l.do()
		} else {
			g.now = max(g.now, due)
			g.step(Input{Kind: Tick})
		}
		g.entries = g.entries[:0]
		if bob.backs > 0 {
			back = g.now
		}
	}
	if g.err != nil || back == 0 {
		t.Fatalf("at %v: back %v, %v", g.now, back, g.err)
	}
	return back - length - time.Second - bob.loads - 3*bob.trip // the join and the map check come before
}
