package gamesync

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	seedFlag  = flag.Int64("seed", -1, "simulate this seed alone and say what happens")
	firstFlag = flag.Int64("first", 0, "the first seed to simulate")
	seedsFlag = flag.Int64("seeds", 1000, "how many seeds to simulate")
)

// TestSimulation plays whole games in virtual time. A seed that fails is
// played again, and told, by
//
//	go test ./sync -run TestSimulation -v -seed=123
//
// and a million seeds are played by
//
//	go test ./sync -run TestSimulation -timeout 0 -seeds=1000000
func TestSimulation(t *testing.T) {
	if *seedFlag >= 0 {
		if err := simulate(uint64(*seedFlag), t.Logf); err != nil {
			t.Fatal(err)
		}
		return
	}
	if *seedsFlag <= 10_000 {
		for seed := *firstFlag; seed < *firstFlag+*seedsFlag; seed++ {
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				t.Parallel()
				if err := simulate(uint64(seed), quiet); err != nil {
					t.Errorf("%v\nreplay: go test ./sync -run TestSimulation -v -seed=%d", err, seed)
				}
			})
		}
		return
	}
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
				if err := simulate(uint64(seed), quiet); err != nil {
					failed.Add(1)
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("seeds %d to %d", *firstFlag, *firstFlag+*seedsFlag-1)
}

func quiet(string, ...any) {}

// simulate plays one seed.
func simulate(seed uint64, trace func(string, ...any)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case simFailure:
			err = fmt.Errorf("%s", string(r))
		default:
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	newSim(seed, trace).run()
	return nil
}
