package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What a window is burdened with.
const (
	watching     = 50  // streams that are read, half of them of the page Games, half of one game
	neverReading = 50  // streams that are not
	loads        = 200 // of pages, each second
	guessing     = 20  // who tries passwords, one after the other
	uploading    = 2   // files of uploadSize
	uploadSize   = 128 << 20
	tokens       = 16 // of programs: an account watches 16 pages at most
)

// window measures what games notice of the operator's window: in turn with nobody at it, with those who watch, with all
// of the burden, and with another process that takes as much of the processors as that did, which no host could help.
type window struct {
	*bench
	url, metrics string
	games        int
	tokens       []string
	other        [2]float64      // what the other process takes, in cores: for the host's burden, and for making it
	read         [2]atomic.Int64 // bytes, of Games and of games
}

// phase is what was measured in a while.
type phase struct {
	buckets map[float64]float64 // turns that were at most so late, in seconds
	missed  float64
	cpu     time.Duration
	load    time.Duration // of the processors, to make the burden
	took    time.Duration
	read    [2]int64
}

// windowAll prints a table.
func (b *bench) windowAll(program string, s subject, games, rounds int) error {
	w := &window{bench: b, games: games}
	port, err := freePort()
	if err != nil {
		return err
	}
	at, err := freePort()
	if err != nil {
		return err
	}
	metrics, err := freePort()
	if err != nil {
		return err
	}
	w.url, w.metrics = "http://127.0.0.1:"+strconv.Itoa(at), "http://127.0.0.1:"+strconv.Itoa(metrics)+"/metrics"
	host := s.run(port, games)
	host.Env = append(host.Env, "W3HOST_WEB_LISTEN=127.0.0.1:"+strconv.Itoa(at), "W3HOST_WEB_METRICS_LISTEN=127.0.0.1:"+strconv.Itoa(metrics))
	if host.Dir, err = os.MkdirTemp(b.dir, "window"); err != nil {
		return err
	}
	if err := b.start(host); err != nil {
		return err
	}
	defer func() { _, _ = host.Process.Kill(), host.Wait() }()
	if err := errors.Join(awaitListener(port), awaitListener(at)); err != nil {
		return err
	}
	for i := range tokens {
		add := exec.Command(program, "web", "token", "add", "bench"+strconv.Itoa(i), "--role", "admin")
		add.Dir = host.Dir
		token, err := add.Output()
		if err != nil {
			return fmt.Errorf("a token: %w", err)
		}
		w.tokens = append(w.tokens, strings.TrimSpace(string(token)))
	}
	stop, err := b.play(port, games, time.Minute+time.Duration(b.seconds+6)*time.Second*time.Duration(len(inTurn)*rounds))
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%s\n\n", s.name)
	return w.compare(host.Process.Pid, rounds)
}

// play has bots play so many games, and returns when all have begun.
func (b *bench) play(port, games int, length time.Duration) (stop func(), err error) {
	bots := exec.Command(filepath.Join(b.dir, "w3host"), "bots", "--addr", "127.0.0.1:"+strconv.Itoa(port), "--players", strconv.Itoa(players),
		"--games", strconv.Itoa(games), "--minutes", strconv.FormatFloat(length.Minutes(), 'f', 1, 64))
	said, err := bots.StderrPipe()
	if err == nil {
		err = b.start(bots)
	}
	if err != nil {
		return nil, err
	}
	stop = func() { _, _ = bots.Process.Kill(), bots.Wait() }
	scanner := bufio.NewScanner(said)
	for began := 0; began < games; {
		if !scanner.Scan() {
			stop()
			return nil, fmt.Errorf("only %d of %d games have begun", began, games)
		}
		if strings.Contains(scanner.Text(), "game runs") {
			began++
		}
	}
	go func() { // ends with the bots
		for scanner.Scan() {
		}
	}()
	return stop, nil
}

// What is measured, and in which order.
const (
	nobody = iota
	watchers
	allOfIt
	another
)

var (
	kinds  = []string{nobody: "nobody", watchers: "watchers", allOfIt: "all of it", another: "nobody, but another process takes as much"}
	inTurn = []int{nobody, watchers, nobody, allOfIt, nobody, another}
)

func (w *window) compare(pid, rounds int) error {
	measured := make([][]phase, len(kinds))
	before, err := w.scrape()
	if err != nil {
		return err
	}
	for range rounds {
		for _, kind := range inTurn {
			p, err := w.measure(pid, kind)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "%s: p99 %.3f ms, %.0f missed, %.2f %% of a core\n", kinds[kind], p.quantile(0.99)*1000, p.missed, 100*p.cpu.Seconds()/p.took.Seconds())
			measured[kind] = append(measured[kind], p)
			if kind == allOfIt {
				quiet := measured[nobody][len(measured[nobody])-1]
				w.other = [2]float64{p.cpu.Seconds()/p.took.Seconds() - quiet.cpu.Seconds()/quiet.took.Seconds(), p.load.Seconds() / p.took.Seconds()}
			}
		}
	}
	time.Sleep(5 * time.Second) // until the last streams are gone
	after, err := w.scrape()
	if err != nil {
		return err
	}
	fmt.Println("| at the window | late p50 ms | late p99 ms | over 5 ms | missed turns | CPU % of a core | KB/s, a watcher of Games | of a game |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for i, kind := range kinds {
		cell := func(digits int, of func(p phase) float64) string {
			var all []float64
			for _, p := range measured[i] {
				all = append(all, of(p))
			}
			slices.Sort(all)
			return fmt.Sprintf("%.*f (%.*f–%.*f)", digits, all[len(all)/2], digits, all[0], digits, all[len(all)-1])
		}
		rate := func(page int) string {
			return cell(2, func(p phase) float64 { return float64(p.read[page]) / 1000 / p.took.Seconds() / (watching / 2) })
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", kind, cell(3, func(p phase) float64 { return 1000 * p.quantile(0.5) }),
			cell(3, func(p phase) float64 { return 1000 * p.quantile(0.99) }), cell(0, func(p phase) float64 { return p.buckets[0] - p.buckets[0.005] }),
			cell(0, func(p phase) float64 { return p.missed }), cell(1, func(p phase) float64 { return 100 * p.cpu.Seconds() / p.took.Seconds() }), rate(0), rate(1))
	}
	fmt.Printf("\nthe burden took %.0f %% of a core to make; goroutines %.0f before, %.0f after; resident %.1f MB before, %.1f MB after; facts lost for pages %.0f, watchers dropped %.0f\n\n", 100*w.other[1],
		before["go_goroutines"], after["go_goroutines"], before["process_resident_memory_bytes"]/1e6, after["process_resident_memory_bytes"]/1e6,
		after[`w3host_observer_lost_total{observer="pages"}`], after[`w3host_watchers_dropped_total{kind="page"}`])
	return nil
}

// quantile of the lateness of turns, as Prometheus makes it of buckets.
func (p *phase) quantile(q float64) float64 {
	var bounds []float64
	for bound := range p.buckets {
		if bound > 0 {
			bounds = append(bounds, bound)
		}
	}
	slices.Sort(bounds)
	rank, low, below := q*p.buckets[0], 0.0, 0.0 // 0 stands for infinity
	for _, bound := range bounds {
		if n := p.buckets[bound]; n >= rank {
			return low + (bound-low)*(rank-below)/max(n-below, 1)
		} else {
			low, below = bound, n
		}
	}
	return low
}

// measure burdens the window for a while, and tells how turns were meanwhile.
func (w *window) measure(pid, kind int) (p phase, err error) {
	ctx, stop := context.WithCancel(context.Background())
	var burden sync.WaitGroup
	defer burden.Wait()
	defer stop()
	switch kind {
	case allOfIt:
		w.disturb(ctx, &burden)
		fallthrough
	case watchers:
		w.watch(ctx, &burden)
	case another:
		for i, share := range w.other {
			stop, err := w.burnElsewhere(share, w.ahead && i == 0)
			if err != nil {
				return p, err
			}
			defer stop()
		}
	}
	time.Sleep(2 * time.Second)
	before, err := w.scrape()
	if err != nil {
		return p, err
	}
	load, cpu, read, began := cpuTime(os.Getpid()), cpuTime(pid), [2]int64{w.read[0].Load(), w.read[1].Load()}, time.Now()
	time.Sleep(time.Duration(w.seconds) * time.Second)
	p.cpu, p.load, p.took = cpuTime(pid)-cpu, cpuTime(os.Getpid())-load, time.Since(began)
	for i := range p.read {
		p.read[i] = w.read[i].Load() - read[i]
	}
	after, err := w.scrape()
	p.missed = after["w3host_turns_missed_total"] - before["w3host_turns_missed_total"]
	p.buckets = map[float64]float64{}
	for name, value := range after {
		if bound, found := strings.CutPrefix(name, `w3host_turn_lateness_seconds_bucket{le="`); found {
			at, _ := strconv.ParseFloat(strings.TrimSuffix(bound, `"}`), 64)
			if at > 1 { // infinity
				at = 0
			}
			p.buckets[at] = value - before[name]
		}
	}
	return p, err
}

var sample = regexp.MustCompile(`(?m)^([a-z0-9_]+(?:\{[^}]*\})?) (\S+)$`)

// scrape reads /metrics.
func (w *window) scrape() (map[string]float64, error) {
	answer, err := http.Get(w.metrics)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", w.metrics, answer.Status, text)
	}
	values := map[string]float64{}
	for _, m := range sample.FindAllSubmatch(text, -1) {
		values[string(m[1])], _ = strconv.ParseFloat(string(m[2]), 64)
	}
	return values, err
}

var (
	topicOf = regexp.MustCompile(`data-topic="([^"]*)"`)
	afterOf = regexp.MustCompile(`data-after="([^"]*)"`)
)
