// Command bench measures whole games on this machine: a host and simulated
// players as two processes, and in turn with it the same players against the
// floor, a C program that does the least that keeps clients playing. It prints a
// table for docs/benchmarks.md.
//
//	go run ./internal/bench --games 1,20,100,300 --rounds 3 --seconds 20
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"w3host/internal/threads"
)

// players of each game.
const players = 10

// tries bounds how often a round is measured until the machine is steady.
const tries = 10

// bench holds the flags.
type bench struct {
	dir     string
	games   []int // numbers of them
	rounds  int
	seconds int
	period  time.Duration
	ahead   bool
	atOnce  bool // all subjects
	steady  time.Duration
	extra   []string // flags for the bots

	floor, other, with string // subjects besides this host
	attacks            string
	window             bool
}

// subject is a program that is measured.
type subject struct {
	name string
	run  func(ports []int, games int) *exec.Cmd
}

// figures are the results of one run of a subject.
type figures struct {
	cpu    float64 // µs of all threads for one player and turn
	ratio  float64 // of cpu to that of the last subject in the same round
	slices float64 // time slices of all threads for one turn of all games
	sleeps float64 // voluntary context switches of all threads, likewise
	memory float64 // KiB for one player
	middle float64 // ms, median of |interval − period| at the clients
	late   float64 // ms, 99th percentile of it
	latest float64 // ms, the longest of these
	stall  float64 // ms, the longest that the machine itself stood still
	missed float64 // turns
}

// botsReport has the fields of w3host bots --json that are used.
type botsReport struct {
	OK     bool    `json:"ok"`
	Late   summary `json:"late_ms"`
	Missed int64   `json:"missed_turns"`
	Jitter summary `json:"jitter_ms"`
}

func main() {
	b := new(bench)
	games := flag.String("games", "1,20,100,300", "numbers of games, with commas between")
	flag.IntVar(&b.rounds, "rounds", 3, "how often each is measured, in turn")
	flag.IntVar(&b.seconds, "seconds", 20, "how long each is measured")
	flag.DurationVar(&b.period, "latency", 100*time.Millisecond, "time between turns")
	flag.StringVar(&b.floor, "floor", "../shared/bench/floor.c", "source of the floor; empty measures the host only")
	flag.StringVar(&b.other, "other", "", "another w3host to measure beside this one: the path of a binary")
	flag.StringVar(&b.with, "with", "", "measure this one beside itself with a setting from the environment, like W3HOST_REPLAYS_ENABLED=false, or under a holder: hold")
	flag.BoolVar(&b.atOnce, "at-once", false, "measure all programs at the same time, each with its games, so that the state of the machine is the same for all")
	flag.BoolVar(&b.ahead, "ahead", false, "give hosts and bots the processors before other processes have them (niceness -20)")
	flag.DurationVar(&b.steady, "steady", 0, "measure a round again, up to ten times, if the machine stood still for longer than this; 0: never")
	flag.StringVar(&b.attacks, "attacks", "", "measure what players notice of attacks: all, or names with commas between")
	attacker := flag.String("attacker", "", "be the attackers of this name, until killed")
	flag.BoolVar(&b.window, "window", false, "measure what games notice of the operator's window, with the first number of games")
	at := flag.String("at", "", "whom they attack")
	witness := flag.Bool("witness", false, "tell how late a thread of each processor wakes, until standard input ends")
	flag.Parse()
	runtime.LockOSThread() // with its thread, those end that it has started
	if *witness {
		runWitness()
		return
	}
	do := func() error { return b.main(*games) }
	if *attacker != "" {
		do = func() error { return runAttacker(*attacker, *at) }
	}
	b.extra = flag.Args()
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) main(games string) (err error) {
	for text := range strings.SplitSeq(games, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return fmt.Errorf("--games: %q is no number of games", text)
		}
		b.games = append(b.games, n)
	}
	if b.dir, err = os.MkdirTemp("", "w3host-bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	host := filepath.Join(b.dir, "w3host")
	build := exec.Command("go", "build", "-o", host, "./cmd/w3host")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the host: %w\n%s", err, out)
	}
	subjects := []subject{{"w3host", b.host(host)}}
	if b.other != "" {
		subjects = append(subjects, subject{filepath.Base(b.other), b.host(b.other)})
	}
	if b.with != "" {
		subjects = append(subjects, subject{b.with, b.host(host, b.with)})
	}
	if b.window {
		for _, s := range subjects {
			if err := b.windowOf(host, s); err != nil {
				return err
			}
		}
		return nil
	}
	if b.attacks != "" {
		return b.attackAll(subjects)
	}
	if b.floor != "" {
		program := filepath.Join(b.dir, "floor")
		if out, err := exec.Command("cc", "-O2", "-o", program, b.floor).CombinedOutput(); err != nil {
			return fmt.Errorf("build the floor: %w\n%s", err, out)
		}
		subjects = append(subjects, subject{"floor", func(ports []int, _ int) *exec.Cmd {
			return exec.Command(program, strconv.Itoa(ports[0]), strconv.Itoa(players), strconv.Itoa(int(b.period.Milliseconds())))
		}})
	}
	fmt.Printf("| games | program | µs CPU per player and turn | / %s | time slices per turn | sleeps per turn | KiB per player | p50 \\|interval − period\\| ms | p99 | longest | longest stall of the machine | missed turns |\n", subjects[len(subjects)-1].name)
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, n := range b.games {
		if err := b.compare(subjects, n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) host(program string, settings ...string) func(ports []int, games int) *exec.Cmd {
	return func(ports []int, games int) *exec.Cmd {
		cmd := exec.Command(program, "--listen", local(ports[0]), "--lan=false", "--log-json", "--latency", b.period.String())
		if slices.Equal(settings, []string{"hold"}) {
			cmd.Args = slices.Insert(cmd.Args, 1, "hold")
		}
		cmd.Env = append(os.Environ(), "W3HOST_LOBBY_COUNTDOWN=0", "W3HOST_AUTOHOST_MAX_GAMES=100000",
			"W3HOST_AUTOHOST_LOBBIES="+strconv.Itoa(min(games, 1000)))
		cmd.Env = append(cmd.Env, settings...)
		return cmd
	}
}

// start starts a command that ends with this process, ahead of others if that is
// asked for. The scheduler shares the processors among sessions first, so that only
// a niceness of a session counts.
func (b *bench) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil || !b.ahead {
		return err
	}
	return os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", cmd.Process.Pid), []byte("-20"), 0)
}

// awaitListener waits until a program takes connections.
func awaitListener(port int) (err error) {
	for range 100 {
		var c net.Conn
		if c, err = net.Dial("tcp4", local(port)); err == nil {
			return c.Close()
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// awaitGames reads what bots say until so many games run, and then the rest of it.
func awaitGames(bots io.Reader, games int) error {
	var said []string
	scanner := bufio.NewScanner(bots)
	for began := 0; began < games; {
		switch {
		case !scanner.Scan():
			return fmt.Errorf("only %d of %d games have begun: %s", began, games, strings.Join(said, "\n"))
		case strings.Contains(scanner.Text(), "game runs"):
			began++
		default:
			said = append(said, scanner.Text())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, bots) }() // ends with the bots
	return nil
}

// measure runs one program with one number of games. CPU and memory are taken
// in the middle of the time in which all games run.
func (b *bench) measure(s subject, games int) (f figures, err error) {
	proc, err := b.startHost(s.run, games, 1)
	if err != nil {
		return f, err
	}
	defer proc.end()
	time.Sleep(time.Second)
	pid := proc.host()
	empty := memory(pid)

	clients, err := b.begin(proc.ports[0], games, players, time.Duration(b.seconds)*time.Second, b.extra...)
	if err != nil {
		return f, err
	}
	stalls, err := watchMachine()
	if err != nil {
		return f, err
	}
	time.Sleep(time.Duration(b.seconds) * time.Second / 4)
	counter := threads.Counter{PID: pid}
	before, _ := counter.Count()
	since, cpu := time.Now(), cpuTime(pid)
	time.Sleep(time.Duration(b.seconds) * time.Second / 2)
	spent, took := cpuTime(pid)-cpu, time.Since(since)
	after, _ := counter.Count()
	turns := took.Seconds() / b.period.Seconds()
	f.slices, f.sleeps = float64(after.Slices-before.Slices)/turns, float64(after.Sleeps-before.Sleeps)/turns
	f.memory = float64(memory(pid)-empty) / float64(games*players)
	f.cpu = spent.Seconds() * 1e6 / (turns * float64(games*players))

	report, reported := clients.wait()
	if f.stall, err = stalls(); err != nil {
		return f, err
	}
	if reported != nil {
		return f, reported
	}
	if report.Jitter.Count == 0 {
		return f, errors.New("the bots saw no turn")
	}
	f.middle, f.late, f.latest, f.missed = report.Jitter.P50, report.Jitter.P99, report.Jitter.Max, float64(report.Missed)
	_ = proc.Process.Signal(syscall.SIGTERM)
	return f, nil
}
