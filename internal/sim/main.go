// Sim searches the simulation of the whole host (host/sim_*_test.go) for seeds that violate one of its
// invariants:
//
//	go run ./internal/sim -for 1h
//
// It uses all CPUs and shortens each failing seed as far as that is cheap. For each it prints the failure and
// a command that replays it. It exits with status 1 if it has found any. docs/testing.md explains how to read
// the result.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// batch is the number of seeds that one process simulates.
const batch = 20

// settings holds the simulation flags that shortening changes.
type settings struct {
	length                          time.Duration
	games, players, kills, upgrades int
}

var usual = settings{length: 4 * time.Minute, games: 3, players: 6, kills: 3, upgrades: 3}

func (s settings) flags(seed uint64, seeds int) []string {
	return []string{
		"-test.run", "^TestSimulation$", "-sim.listed=false", "-sim.seed", strconv.FormatUint(seed, 10), "-sim.seeds", strconv.Itoa(seeds),
		"-sim.for", s.length.String(), "-sim.games", strconv.Itoa(s.games), "-sim.players", strconv.Itoa(s.players),
		"-sim.kills", strconv.Itoa(s.kills), "-sim.upgrades", strconv.Itoa(s.upgrades),
	}
}

// shorter returns smaller variants of the simulation, most promising first.
func (s settings) shorter() (list []settings) {
	add := func(change func(*settings)) {
		next := s
		if change(&next); next != s {
			list = append(list, next)
		}
	}
	add(func(n *settings) { n.games = 1 })
	add(func(n *settings) { n.upgrades = 0 })
	add(func(n *settings) { n.kills = 0 })
	add(func(n *settings) { n.length = max(30*time.Second, s.length/2) })
	add(func(n *settings) { n.players = max(2, s.players-2) })
	add(func(n *settings) { n.upgrades = min(s.upgrades, 1) })
	add(func(n *settings) { n.kills = min(s.kills, 1) })
	return list
}

// search is the state shared by all workers.
type search struct {
	program string // test binary of package host
	until   time.Time

	mu    sync.Mutex
	next  uint64
	done  int // number of seeds done
	found int
}

func main() {
	within := flag.Duration("for", 10*time.Minute, "how long to search")
	first := flag.Uint64("seed", rand.Uint64N(1<<40), "the first seed; each later one is the next number")
	workers := flag.Int("workers", runtime.NumCPU(), "how many simulations run at once")
	flag.Parse()
	if err := run(*within, *first, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(1)
	}
}

func run(within time.Duration, first uint64, workers int) error {
	dir, err := os.MkdirTemp("", "w3host-sim")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &search{program: filepath.Join(dir, "host.test"), next: first}
	build := exec.Command("go", "test", "-c", "-o", s.program, "./host")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build the tests of ./host (run this in the root of the project): %w", err)
	}
	began := time.Now()
	s.until = began.Add(within)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for time.Now().Before(s.until) {
				s.some()
			}
		})
	}
	group.Wait()
	fmt.Printf("%d seeds from %d on in %v: %d failed\n", s.done, first, time.Since(began).Round(time.Second), s.found)
	if s.found > 0 {
		return fmt.Errorf("%d seeds failed", s.found)
	}
	return nil
}

// some simulates the next batch of seeds.
func (s *search) some() {
	s.mu.Lock()
	seed := s.next
	s.next += batch
	s.mu.Unlock()
	failed := s.simulate(usual, seed, batch)
	s.mu.Lock()
	s.done += batch
	s.found += len(failed)
	s.mu.Unlock()
	for _, seed := range failed {
		s.report(seed)
	}
}

// simulate returns the seeds that failed. If a process ends in the middle of a seed, for example by a panic,
// that seed counts as failed, and the following ones are simulated by another process.
func (s *search) simulate(with settings, seed uint64, seeds int) (failed []uint64) {
	for end := seed + uint64(seeds); seed < end; {
		out, err := s.start(with, seed, int(end-seed))
		if err == nil {
			return failed
		}
		bad, last := failures(out)
		failed = append(failed, bad...)
		if len(bad) > 0 && !panicked(err, out) {
			return failed
		}
		if last < seed { // no seed was started
			fmt.Fprintf(os.Stderr, "%s", out)
			return append(failed, seed)
		}
		if len(bad) == 0 || bad[len(bad)-1] != last {
			failed = append(failed, last)
		}
		seed = last + 1
	}
	return failed
}

func (s *search) start(with settings, seed uint64, seeds int) ([]byte, error) {
	cmd := exec.Command(s.program, append(with.flags(seed, seeds), "-test.v", "-test.timeout", "20m")...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1") // required for reproducible runs
	cmd.Dir = "host"
	return cmd.CombinedOutput()
}

var (
	startOf  = regexp.MustCompile(`(?m)^=== RUN +TestSimulation/seed_(\d+)$`)
	failedAt = regexp.MustCompile(`(?m)^ +--- FAIL: TestSimulation/seed_(\d+) `)
)

// failures parses the output of a simulation and returns the failed seeds and the last one that started.
func failures(out []byte) (failed []uint64, last uint64) {
	for _, m := range failedAt.FindAllSubmatch(out, -1) {
		n, _ := strconv.ParseUint(string(m[1]), 10, 64)
		failed = append(failed, n)
	}
	for _, m := range startOf.FindAllSubmatch(out, -1) {
		last, _ = strconv.ParseUint(string(m[1]), 10, 64)
	}
	return failed, last
}

// panicked reports whether the process ended before its tests did.
func panicked(err error, out []byte) bool {
	var exit *exec.ExitError
	return !errors.As(err, &exit) || exit.ExitCode() != 1 || bytes.Contains(out, []byte("\npanic: "))
}

// report shortens a failing seed and prints how to replay it.
func (s *search) report(seed uint64) {
	with := usual
	for again := true; again; {
		again = false
		for _, shorter := range with.shorter() {
			if len(s.simulate(shorter, seed, 1)) > 0 {
				with, again = shorter, true
				break
			}
		}
	}
	out, _ := s.start(with, seed, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Printf("seed %d fails:\n", seed)
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "_test.go:") && !strings.Contains(line, "story:") || strings.HasPrefix(line, "panic: ") {
			fmt.Print("  ", line)
		}
	}
	args := strings.Join(with.flags(seed, 1)[1:], " ")
	fmt.Printf("  GOMAXPROCS=1 go test ./host -run %s -sim.log\n", args)
}
