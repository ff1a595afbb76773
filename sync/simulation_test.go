package gamesync

import (
	"flag"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	seedFlag  = flag.Int64("seed", -1, "simulate this seed alone and say what happens")
	firstFlag = flag.Int64("first", 0, "the first seed to simulate")
	seedsFlag = flag.Int64("seeds", 1000, "how many seeds to simulate")
)

// must is what a thousand seeds have to go through at least once, or the
// simulation no longer tests it.
var must = []string{
	"turn", "a turn in more than one packet", "a late host",
	"a lag screen renewed", "a load in game screen renewed",
	"a leave before the first turn", "a leave during a lag screen",
	"player left", "player lagged for too long", "player was voted out while lagging",
	"player was dropped by the host while lagging", "player did not load in time",
	"player fell too far behind as an observer", "player desynced", "player was there when the game ended",
	"player sent an action while loading", "player sent an action over 1027 bytes",
	"player acknowledged more turns than were sent", "an observer's late desync",
	"lag: connection, gone false", "lag: computer, gone false", "lag: computer, gone true",
	"period changed, adaptive false", "period changed, adaptive true",
	"over: all left", "over: one player left", "over: desync", "over: ended by the host",
}

// TestSimulation plays whole games in virtual time. A seed that fails is
// played again, and told, by
//
//	go test ./sync -run TestSimulation -v -seed=123
//
// and a million seeds are played by
//
//	go test ./sync -run TestSimulation -v -timeout 0 -seeds=1000000
func TestSimulation(t *testing.T) {
	if *seedFlag >= 0 {
		if _, err := simulate(uint64(*seedFlag), t.Logf); err != nil {
			t.Fatal(err)
		}
		return
	}
	var seen counts
	if *seedsFlag <= 10_000 {
		t.Run("seeds", func(t *testing.T) { parallelSeeds(t, &seen) })
	} else {
		manySeeds(t, &seen)
	}
	t.Logf("seeds %d to %d", *firstFlag, *firstFlag+*seedsFlag-1)
	for _, what := range slices.Sorted(maps.Keys(seen.n)) {
		t.Logf("%9d %s", seen.n[what], what)
	}
	for _, what := range must {
		if seen.n[what] == 0 && *seedsFlag >= 1000 && seen.games >= *seedsFlag {
			t.Errorf("no seed has seen: %s", what)
		}
	}
}

type counts struct {
	sync.Mutex
	n     map[string]int
	games int64
}

func (c *counts) add(seen map[string]int) {
	c.Lock()
	defer c.Unlock()
	if c.games++; c.n == nil {
		c.n = map[string]int{}
	}
	for what, n := range seen {
		c.n[what] += n
	}
}

// parallelSeeds makes each seed a test of its own.
func parallelSeeds(t *testing.T, all *counts) {
	for seed := *firstFlag; seed < *firstFlag+*seedsFlag; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			seen, err := simulate(uint64(seed), quiet)
			if all.add(seen); err != nil {
				t.Errorf("%v\nreplay: go test ./sync -run TestSimulation -v -seed=%d", err, seed)
			}
		})
	}
}

// manySeeds plays more than the test runner could list, and stops after ten
// that fail.
func manySeeds(t *testing.T, all *counts) {
	var next, failed atomic.Int64
	next.Store(*firstFlag)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for failed.Load() < 10 {
				seed := next.Add(1) - 1
				if seed >= *firstFlag+*seedsFlag {
					return
				}
				seen, err := simulate(uint64(seed), quiet)
				if all.add(seen); err != nil {
					failed.Add(1)
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
	workers.Wait()
}

func quiet(string, ...any) {}

// simulate plays one seed and says what happened in it.
func simulate(seed uint64, trace func(string, ...any)) (seen map[string]int, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case simFailure:
			err = fmt.Errorf("%s", string(r))
		default:
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	s := newSim(seed, trace)
	s.run()
	return s.seen, nil
}
