// Command bench measures whole games on this machine: a host and simulated
// players as two processes, and in turn with it the same players against the
// floor, a C program that does the least that keeps clients playing. It prints a
// table for docs/benchmarks.md.
//
//	go run ./internal/bench --games 1,20,100,300 --rounds 3 --seconds 20
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// players of each game.
const players = 10

type bench struct {
	dir     string
	seconds int
	period  time.Duration
	extra   []string // flags for the bots
}

// subject is a program that is measured.
type subject struct {
	name string
	run  func(port, games int) *exec.Cmd
}

// figures are what one run of a subject gives.
type figures struct {
	cpu      float64 // µs of all threads for one player and turn
	ratio    float64 // of cpu to that of the last subject in the same round
	switches float64 // context switches a second, of all threads
	memory   float64 // KiB for one player
	late     float64 // ms, 99th percentile of |interval − period| at the clients
	missed   float64 // turns
}

// botsReport is what is used of w3host bots --json.
type botsReport struct {
	Missed int64 `json:"missed_turns"`
	Jitter struct {
		P99 float64 `json:"p99"`
	} `json:"jitter_ms"`
}

func main() {
	games := flag.String("games", "1,20,100,300", "numbers of games, with commas between")
	rounds := flag.Int("rounds", 3, "how often each is measured, in turn")
	seconds := flag.Int("seconds", 20, "how long each is measured")
	latency := flag.Duration("latency", 100*time.Millisecond, "time between turns")
	floor := flag.String("floor", "../shared/bench/floor.c", "source of the floor; empty measures the host only")
	other := flag.String("other", "", "another w3host to measure beside this one: the path of a binary")
	with := flag.String("with", "", "measure this one beside itself with a setting from the environment, like W3HOST_REPLAYS_ENABLED=false")
	flag.Parse()
	b := &bench{seconds: *seconds, period: *latency, extra: flag.Args()}
	if err := b.main(strings.Split(*games, ","), *rounds, *floor, *other, *with); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) main(games []string, rounds int, floor, other, with string) (err error) {
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
	if other != "" {
		subjects = append(subjects, subject{filepath.Base(other), b.host(other)})
	}
	if with != "" {
		subjects = append(subjects, subject{with, b.host(host, with)})
	}
	if floor != "" {
		program := filepath.Join(b.dir, "floor")
		if out, err := exec.Command("cc", "-O2", "-o", program, floor).CombinedOutput(); err != nil {
			return fmt.Errorf("build the floor: %w\n%s", err, out)
		}
		subjects = append(subjects, subject{"floor", func(port, _ int) *exec.Cmd {
			return exec.Command(program, strconv.Itoa(port), strconv.Itoa(players), strconv.Itoa(int(b.period.Milliseconds())))
		}})
	}
	fmt.Printf("| games | program | µs CPU per player and turn | / %s | context switches a second | KiB per player | p99 \\|interval − period\\| ms | missed turns |\n", subjects[len(subjects)-1].name)
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, text := range games {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return fmt.Errorf("--games: %q is no number of games", text)
		}
		if err := b.compare(subjects, n, rounds); err != nil {
			return err
		}
	}
	return nil
}

// compare measures all subjects in turn, and prints medians and ranges.
func (b *bench) compare(subjects []subject, games, rounds int) error {
	all := make([][]figures, len(subjects))
	for range rounds {
		for i, s := range subjects {
			f, err := b.measure(s, games)
			if err != nil {
				return fmt.Errorf("%s with %d games: %w", s.name, games, err)
			}
			all[i] = append(all[i], f)
		}
	}
	cpu := func(f figures) float64 { return f.cpu }
	ratio := func(f figures) float64 { return f.ratio }
	for i, s := range subjects {
		for round := range all[i] {
			all[i][round].ratio = all[i][round].cpu / all[len(all)-1][round].cpu
		}
		fmt.Printf("| %d | %s | %s | %s | %s | %s | %s | %s |\n", games, s.name, shown(all[i], 1, cpu), shown(all[i], 2, ratio),
			shown(all[i], 0, func(f figures) float64 { return f.switches }),
			shown(all[i], 1, func(f figures) float64 { return f.memory }),
			shown(all[i], 2, func(f figures) float64 { return f.late }),
			shown(all[i], 0, func(f figures) float64 { return f.missed }))
	}
	return nil
}

func median(list []figures, of func(figures) float64) float64 {
	var values []float64
	for _, f := range list {
		values = append(values, of(f))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// shown is the median, and the range where there is one.
func shown(list []figures, digits int, of func(figures) float64) string {
	low, high := of(list[0]), of(list[0])
	for _, f := range list {
		low, high = min(low, of(f)), max(high, of(f))
	}
	text := strconv.FormatFloat(median(list, of), 'f', digits, 64)
	if low == high {
		return text
	}
	return fmt.Sprintf("%s (%.*f–%.*f)", text, digits, low, digits, high)
}

func (b *bench) host(program string, settings ...string) func(port, games int) *exec.Cmd {
	return func(port, games int) *exec.Cmd {
		cmd := exec.Command(program, "--listen", "127.0.0.1:"+strconv.Itoa(port), "--lan=false", "--log-json", "--latency", b.period.String())
		cmd.Env = append(os.Environ(), "W3HOST_LOBBY_COUNTDOWN=0", "W3HOST_AUTOHOST_MAX_GAMES=100000",
			"W3HOST_AUTOHOST_LOBBIES="+strconv.Itoa(min(games, 1000)))
		cmd.Env = append(cmd.Env, settings...)
		return cmd
	}
}

// measure runs one program with one number of games. CPU and memory are taken
// in the middle of the time in which all games run.
func (b *bench) measure(s subject, games int) (f figures, err error) {
	port := 20000 + int(time.Now().UnixNano()/1e6)%20000
	work, err := os.MkdirTemp(b.dir, s.name)
	if err != nil {
		return f, err
	}
	host := s.run(port, games)
	host.Dir = work
	if err := host.Start(); err != nil {
		return f, err
	}
	defer func() { _, _ = host.Process.Kill(), host.Wait() }()
	time.Sleep(time.Second)
	empty := memory(host.Process.Pid)

	var out bytes.Buffer
	clients := exec.Command(filepath.Join(b.dir, "w3host"), append([]string{
		"bots", "--addr", "127.0.0.1:" + strconv.Itoa(port), "--players", strconv.Itoa(players), "--games", strconv.Itoa(games),
		"--minutes", strconv.FormatFloat(float64(b.seconds)/60, 'f', -1, 64), "--json",
	}, b.extra...)...)
	clients.Stdout = &out
	running, err := clients.StderrPipe()
	if err != nil {
		return f, err
	}
	if err := clients.Start(); err != nil {
		return f, err
	}
	for scanner, n := bufio.NewScanner(running), 0; scanner.Scan(); {
		if strings.Contains(scanner.Text(), "game runs") {
			if n++; n == games {
				go func() { // the rest of what the bots say; ends with them
					for scanner.Scan() {
					}
				}()
				break
			}
		}
	}
	time.Sleep(time.Duration(b.seconds) * time.Second / 4)
	began, cpu, switches := time.Now(), cpuTime(host.Process.Pid), contextSwitches(host.Process.Pid)
	time.Sleep(time.Duration(b.seconds) * time.Second / 2)
	spent, took := cpuTime(host.Process.Pid)-cpu, time.Since(began)
	f.switches = float64(contextSwitches(host.Process.Pid)-switches) / took.Seconds()
	f.memory = float64(memory(host.Process.Pid)-empty) / float64(games*players)
	f.cpu = spent.Seconds() * 1e6 / (took.Seconds() / b.period.Seconds() * float64(games*players))

	_ = clients.Wait() // its faults are in its report; the floor makes many
	var report botsReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		return f, fmt.Errorf("the bots' report: %w: %s", err, out.String())
	}
	f.late, f.missed = report.Jitter.P99, float64(report.Missed)
	_ = host.Process.Signal(syscall.SIGTERM)
	return f, nil
}

// perThread adds up what a file of each thread of a process says.
func perThread(pid int, file string, read func(text string) int64) (sum int64) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	for _, task := range tasks {
		if text, err := os.ReadFile(task); err == nil {
			sum += read(string(text))
		}
	}
	return sum
}

// cpuTime is what the threads of a process have spent on a processor so far,
// as the scheduler counts it; the times in stat are sampled, which is wrong for
// a process that wakes by the clock.
func cpuTime(pid int) time.Duration {
	return time.Duration(perThread(pid, "schedstat", func(text string) int64 {
		ns, _ := strconv.ParseInt(strings.Fields(text + " 0")[0], 10, 64)
		return ns
	}))
}

func contextSwitches(pid int) int64 {
	return perThread(pid, "status", func(text string) (sum int64) {
		for line := range strings.Lines(text) {
			if name, value, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "ctxt_switches") {
				n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				sum += n
			}
		}
		return sum
	})
}

// memory is the resident size of a process in KiB.
func memory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return kib
}
