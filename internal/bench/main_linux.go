// Command bench measures complete games on this machine. It runs a host and simulated players as two
// processes, and alternately the same players against the floor, a minimal C program that just keeps clients
// playing. It prints a table for docs/benchmarks.md.
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

// players is the number of players per game.
const players = 10

// tries limits how often a round is repeated until the machine is steady.
const tries = 10

// bench holds the flags.
type bench struct {
	dir     string
	games   []int // numbers of games to measure
	rounds  int
	seconds int
	period  time.Duration
	ahead   bool
	atOnce  bool // all subjects at the same time
	steady  time.Duration
	extra   []string // additional flags for the bots

	floor, other, with string // further subjects
	attacks            string
	window, memory     bool
}

// subject is a program to measure.
type subject struct {
	name string
	run  func(ports []int, games int) *exec.Cmd
}

// figures are the results of one run of a subject.
type figures struct {
	cpu    float64 // CPU time of all threads in µs per player and turn
	ratio  float64 // cpu relative to that of the last subject in the same round
	slices float64 // time slices of all threads per turn of all games
	sleeps float64 // voluntary context switches of all threads per turn of all games
	memory float64 // KiB per player
	middle float64 // median of |interval − period| at the clients, in ms
	late   float64 // 99th percentile of |interval − period|, in ms
	latest float64 // maximum of |interval − period|, in ms
	stall  float64 // longest stall of the machine itself, in ms
	missed float64 // missed turns
}

// botsReport holds the used fields of the output of w3host bots --json.
type botsReport struct {
	OK     bool    `json:"ok"`
	Late   summary `json:"late_ms"`
	Missed int64   `json:"missed_turns"`
	Jitter summary `json:"jitter_ms"`
}

func main() {
	b := new(bench)
	games := flag.String("games", "1,20,100,300", "comma-separated numbers of games")
	flag.IntVar(&b.rounds, "rounds", 3, "number of measurements of each program, in alternation")
	flag.IntVar(&b.seconds, "seconds", 20, "duration of each measurement")
	flag.DurationVar(&b.period, "latency", 100*time.Millisecond, "time between turns")
	flag.StringVar(&b.floor, "floor", "../shared/bench/floor.c", "source of the floor program; empty measures the host only")
	flag.StringVar(&b.other, "other", "", "path of another w3host binary to measure as well")
	flag.StringVar(&b.with, "with", "", "measure this host a second time with space-separated environment settings, like W3HOST_REPLAYS_ENABLED=false, or under a holder: hold")
	flag.BoolVar(&b.atOnce, "at-once", false, "measure all programs at the same time, each with its games, so that the state of the machine is the same for all")
	flag.BoolVar(&b.ahead, "ahead", false, "run hosts and bots at higher priority than other processes (niceness -20)")
	flag.DurationVar(&b.steady, "steady", 0, "repeat a round, up to ten times, if the machine stalled for longer than this; 0: never")
	flag.StringVar(&b.attacks, "attacks", "", "measure the effect of attacks on players: all, or comma-separated names")
	attacker := flag.String("attacker", "", "run this attack until killed (used internally)")
	flag.BoolVar(&b.window, "window", false, "measure the effect of the web console on games, with the first number of games")
	flag.BoolVar(&b.memory, "memory", false, "measure the memory of lobbies, connections and games")
	at := flag.String("at", "", "address to attack")
	witness := flag.Bool("witness", false, "measure how late a thread on each CPU wakes, until standard input ends (used internally)")
	flag.Parse()
	runtime.LockOSThread() // child processes end with the thread that started them
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
			return fmt.Errorf("--games: %q is not a number of games", text)
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
		subjects = append(subjects, subject{b.with, b.host(host, strings.Fields(b.with)...)})
	}
	if b.memory {
		return b.memoryOf(subjects[0])
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
			cmd.Args = slices.Insert(cmd.Args, 1, "serve", "--supervise")
		}
		cmd.Env = append(os.Environ(), "W3HOST_LOBBY_COUNTDOWN=0", "W3HOST_AUTOHOST_MAX_GAMES=100000",
			"W3HOST_AUTOHOST_LOBBIES="+strconv.Itoa(min(games, 1000)))
		cmd.Env = append(cmd.Env, settings...)
		return cmd
	}
}

// start starts a command that ends with this process, at high priority if requested. The scheduler first
// divides the CPUs among sessions, so only the niceness of a session matters.
func (b *bench) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil || !b.ahead {
		return err
	}
	return os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", cmd.Process.Pid), []byte("-20"), 0)
}

// awaitListener waits until a program accepts connections.
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

// awaitGames reads the bots' output until the given number of games has started, and discards the rest.
func awaitGames(bots io.Reader, games int) error {
	var said []string
	scanner := bufio.NewScanner(bots)
	for began := 0; began < games; {
		switch {
		case !scanner.Scan():
			return fmt.Errorf("only %d of %d games have started: %s", began, games, strings.Join(said, "\n"))
		case strings.Contains(scanner.Text(), "game runs"):
			began++
		default:
			said = append(said, scanner.Text())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, bots) }() // ends with the bots
	return nil
}

// measure runs one program with one number of games. CPU time and memory are measured in the middle of the
// period in which all games run.
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
