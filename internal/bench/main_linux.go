// Command bench measures whole games on this machine: a host and simulated
// players as two processes, for one or more numbers of games, and beside each
// the same players against the floor (see internal/floor). It prints a table
// for docs/benchmarks.md.
//
//	go run ./internal/bench --games 1,100,300 --seconds 30
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
	run  func(addr string, games int) *exec.Cmd
}

// figures are one row of the table.
type figures struct {
	cpuPerTurn float64 // µs of the host for one player and turn
	memory     float64 // KiB for one player
	bots       botsReport
	host       hostReport
}

// botsReport is what is used of w3host bots --json.
type botsReport struct {
	Turns      int64   `json:"turns"`
	Missed     int64   `json:"missed_turns"`
	Measured   float64 `json:"measured_s"`
	Interval   summary `json:"interval_ms"`
	Jitter     summary `json:"jitter_ms"`
	Late       summary `json:"late_ms"`
	Faults     int64   `json:"fault_count"`
	CPUPerTurn float64 `json:"cpu_us_per_player_turn"`
}

type summary struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// hostReport is the host's last word on its lateness.
type hostReport struct {
	Message string  `json:"message"`
	P50     float64 `json:"late_p50_ms"`
	P99     float64 `json:"late_p99_ms"`
	P999    float64 `json:"late_p999_ms"`
	Max     float64 `json:"late_max_ms"`
}

func main() {
	games := flag.String("games", "1,100,300", "numbers of games, with commas between")
	seconds := flag.Int("seconds", 30, "how long each is measured")
	latency := flag.Duration("latency", 100*time.Millisecond, "time between turns")
	noFloor := flag.Bool("no-floor", false, "measure the host only")
	flag.Parse()
	b := &bench{seconds: *seconds, period: *latency, extra: flag.Args()}
	if err := b.main(strings.Split(*games, ","), !*noFloor); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) main(games []string, withFloor bool) (err error) {
	if b.dir, err = os.MkdirTemp("", "w3host-bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	for name, pkg := range map[string]string{"w3host": "./cmd/w3host", "floor": "./internal/floor"} {
		build := exec.Command("go", "build", "-o", filepath.Join(b.dir, name), pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	fmt.Println("| program | games | host µs CPU per player and turn | CPU s per 1000 player-minutes | KiB per player | " +
		"host late p50 / p99 / p99.9 ms | client \\|interval − period\\| p50 / p99 / p99.9 / max ms | missed turns | bots' µs |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	subjects := []subject{{"w3host", b.host}}
	if withFloor {
		subjects = append(subjects, subject{"floor", b.floor})
	}
	for _, text := range games {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return fmt.Errorf("--games: %q is no number of games", text)
		}
		var cpu []float64
		for _, s := range subjects {
			f, err := b.measure(s, n)
			if err != nil {
				return fmt.Errorf("%s with %d games: %w", s.name, n, err)
			}
			cpu = append(cpu, f.cpuPerTurn)
			f.print(s.name, n, b.period)
		}
		if len(cpu) == 2 {
			fmt.Printf("\n%d games: host / floor = %.2f\n\n", n, cpu[0]/cpu[1])
		}
	}
	return nil
}

func (b *bench) host(addr string, games int) *exec.Cmd {
	cmd := exec.Command(filepath.Join(b.dir, "w3host"), "--listen", addr, "--lan=false", "--log-json", "--latency", b.period.String())
	cmd.Env = append(os.Environ(), "W3HOST_LOBBY_COUNTDOWN=0", "W3HOST_AUTOHOST_MAX_GAMES=100000",
		"W3HOST_AUTOHOST_LOBBIES="+strconv.Itoa(min(games, 1000)))
	return cmd
}

func (b *bench) floor(addr string, _ int) *exec.Cmd {
	return exec.Command(filepath.Join(b.dir, "floor"), "--listen", addr, "--players", strconv.Itoa(players), "--latency", b.period.String())
}

// measure runs one program with one number of games. CPU and memory are taken
// in the middle of the time in which all games run.
func (b *bench) measure(s subject, games int) (f figures, err error) {
	addr := "127.0.0.1:" + strconv.Itoa(20000+os.Getpid()%20000)
	work, err := os.MkdirTemp(b.dir, s.name)
	if err != nil {
		return f, err
	}
	var log bytes.Buffer
	host := s.run(addr, games)
	host.Dir, host.Stderr = work, &log
	if err := host.Start(); err != nil {
		return f, err
	}
	defer func() { _ = host.Process.Kill() }()
	time.Sleep(time.Second)
	empty := memory(host.Process.Pid)

	var out bytes.Buffer
	clients := exec.Command(filepath.Join(b.dir, "w3host"), append([]string{
		"bots", "--addr", addr, "--players", strconv.Itoa(players), "--games", strconv.Itoa(games),
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
	began, before := time.Now(), cpuTime(host.Process.Pid)
	time.Sleep(time.Duration(b.seconds) * time.Second / 2)
	spent, took := cpuTime(host.Process.Pid)-before, time.Since(began)
	f.memory = float64(memory(host.Process.Pid)-empty) / float64(games*players)
	f.cpuPerTurn = spent.Seconds() * 1e6 / (took.Seconds() / b.period.Seconds() * float64(games*players))

	_ = clients.Wait() // its faults are in its report
	if err := json.Unmarshal(out.Bytes(), &f.bots); err != nil {
		return f, fmt.Errorf("the bots' report: %w: %s", err, out.String())
	}
	_ = host.Process.Signal(syscall.SIGTERM)
	_ = host.Wait()
	for line := range bytes.Lines(log.Bytes()) {
		var r hostReport
		if json.Unmarshal(line, &r) == nil && r.Message == "how late turns were sent" {
			f.host = r
		}
	}
	return f, nil
}

func (f *figures) print(name string, games int, period time.Duration) {
	late := "–"
	if f.host.Message != "" {
		late = fmt.Sprintf("%.2f / %.2f / %.2f", f.host.P50, f.host.P99, f.host.P999)
	}
	perMinute := f.cpuPerTurn / 1e6 * 60 / period.Seconds() * 1000
	fmt.Printf("| %s | %d | %.1f | %.1f | %.1f | %s | %.2f / %.2f / %.2f / %.1f | %d of %d | %.1f |\n",
		name, games, f.cpuPerTurn, perMinute, f.memory, late,
		f.bots.Jitter.P50, f.bots.Jitter.P99, f.bots.Jitter.P999, f.bots.Jitter.Max, f.bots.Missed, f.bots.Turns, f.bots.CPUPerTurn)
}

// cpuTime is what the threads of a process have spent on a processor so far,
// as the scheduler counts it; the times in stat are sampled, which is wrong for
// a process that wakes by the clock.
func cpuTime(pid int) time.Duration {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum time.Duration
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue
		}
		ns, _ := strconv.ParseInt(strings.Fields(string(text) + " 0")[0], 10, 64)
		sum += time.Duration(ns)
	}
	return sum
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
