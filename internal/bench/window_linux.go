package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The burden of a window.
const (
	watching     = 50  // streams that are read, half of them of the page Games, half of one game
	neverReading = 50  // streams that are not
	loads        = 200 // of pages, each second
	guessing     = 20  // clients that try passwords, one after the other
	uploading    = 2   // files of uploadSize
	uploadSize   = 128 << 20
	tokens       = 16 // of programs: an account watches 16 pages at most
)

// window measures what games notice of the operator's window: in turn with nobody at it, with watchers, and with
// all of the burden. A twin of the host has as many games at the same time, and nobody at its window: a delay of both
// is the machine's, and a further one of the host is the window's.
type window struct {
	*bench
	url    string
	hosts  []process // the host, and its twin; their ports are those of games, of the window and of the metrics
	games  int
	tokens []string
	read   [2]atomic.Int64 // bytes, of Games and of games
}

// phase holds the measurements of a host in one stretch of time.
type phase struct {
	buckets map[float64]float64 // turns that were at most so late, in seconds
	missed  float64
	cpu     time.Duration
	took    time.Duration
	read    [2]int64
}

// windowOf prints a table for a host.
func (b *bench) windowOf(program string, s subject) error {
	w := &window{bench: b, games: b.games[0]}
	for range 2 {
		host, err := b.startHost(func(ports []int, games int) *exec.Cmd {
			cmd := s.run(ports, games)
			cmd.Env = append(cmd.Env, "W3HOST_WEB_LISTEN="+local(ports[1]), "W3HOST_WEB_METRICS_LISTEN="+local(ports[2]))
			return cmd
		}, w.games, 3)
		if err != nil {
			return err
		}
		defer host.end()
		w.hosts = append(w.hosts, host)
	}
	w.url = "http://" + local(w.hosts[0].ports[1])
	for i := range tokens {
		add := exec.Command(program, "web", "token", "add", "bench"+strconv.Itoa(i), "--role", "admin")
		add.Dir = w.hosts[0].Dir
		token, err := add.Output()
		if err != nil {
			return fmt.Errorf("a token: %w", err)
		}
		w.tokens = append(w.tokens, strings.TrimSpace(string(token)))
	}
	for _, h := range w.hosts {
		bots, err := b.begin(h.ports[0], w.games, players, time.Minute+time.Duration(b.seconds+6)*time.Second*time.Duration(len(inTurn)*b.rounds))
		if err != nil {
			return err
		}
		defer bots.stop()
	}
	fmt.Printf("%s\n\n", s.name)
	return w.compare()
}

// The kinds measured, in their order.
const (
	nobody = iota
	watchers
	allOfIt
)

var (
	kinds  = []string{nobody: "nobody", watchers: "watchers", allOfIt: "all of it"}
	inTurn = []int{nobody, watchers, nobody, allOfIt}
)

func (w *window) compare() error {
	all := make([][][]phase, len(kinds)) // of each kind, each time, the host and its twin
	before, err := w.hosts[0].scrape()
	if err != nil {
		return err
	}
	for range w.rounds {
		for _, kind := range inTurn {
			both, err := w.measure(kind)
			if err != nil {
				return err
			}
			for i, p := range both {
				fmt.Fprintf(os.Stderr, "%s, %s: p99 %.3f ms, %.0f missed, %.2f %% of a core\n", kinds[kind], []string{"host", "twin"}[i], p.quantile(0.99)*1000, p.missed, p.share())
			}
			all[kind] = append(all[kind], both)
		}
	}
	time.Sleep(5 * time.Second) // until the last streams are gone
	after, err := w.hosts[0].scrape()
	if err != nil {
		return err
	}
	fmt.Println("| at the window | late p99 ms | of the twin | the host's more | over 5 ms | of the twin | missed turns | CPU % of a core | of the twin | KB/s, a watcher of Games | of a game |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for kind, name := range kinds {
		fmt.Printf("| %s |", name)
		cell := func(digits int, of func(host, twin *phase) float64) {
			var list []float64
			for _, both := range all[kind] {
				list = append(list, of(&both[0], &both[1]))
			}
			low, middle, high := spread(list)
			fmt.Printf(" %.*f (%.*f–%.*f) |", digits, middle, digits, low, digits, high)
		}
		p99 := func(p *phase) float64 { return 1000 * p.quantile(0.99) }
		over := func(p *phase) float64 { return p.buckets[0] - p.buckets[0.005] }
		cell(3, func(host, _ *phase) float64 { return p99(host) })
		cell(3, func(_, twin *phase) float64 { return p99(twin) })
		cell(3, func(host, twin *phase) float64 { return p99(host) - p99(twin) })
		cell(0, func(host, _ *phase) float64 { return over(host) })
		cell(0, func(_, twin *phase) float64 { return over(twin) })
		cell(0, func(host, _ *phase) float64 { return host.missed })
		cell(1, func(host, _ *phase) float64 { return host.share() })
		cell(1, func(_, twin *phase) float64 { return twin.share() })
		for page := range w.read {
			cell(2, func(host, _ *phase) float64 {
				return float64(host.read[page]) / 1000 / host.took.Seconds() / (watching / 2)
			})
		}
		fmt.Println()
	}
	fmt.Printf("\ngoroutines %.0f before, %.0f after; resident %.1f MB before, %.1f MB after; facts lost for pages %.0f, watchers dropped %.0f\n\n",
		before["go_goroutines"], after["go_goroutines"], before["process_resident_memory_bytes"]/1e6, after["process_resident_memory_bytes"]/1e6,
		after[`w3host_observer_lost_total{observer="pages"}`], after[`w3host_watchers_dropped_total{kind="page"}`])
	return nil
}

// share of a core, in per cent.
func (p *phase) share() float64 { return 100 * p.cpu.Seconds() / p.took.Seconds() }

// quantile of the lateness of turns, as Prometheus makes it of buckets.
func (p *phase) quantile(q float64) float64 {
	rank, low, below := q*p.buckets[0], 0.0, 0.0 // 0 stands for infinity
	for _, bound := range slices.Sorted(maps.Keys(p.buckets)) {
		n := p.buckets[bound]
		if bound > 0 && n >= rank {
			return low + (bound-low)*(rank-below)/max(n-below, 1)
		}
		if bound > 0 {
			low, below = bound, n
		}
	}
	return low
}

// measure burdens the window of the host for a while, and tells how the turns of both hosts were meanwhile.
func (w *window) measure(kind int) (both []phase, err error) {
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
	}
	time.Sleep(2 * time.Second)
	var ends []func() (phase, error)
	for _, h := range w.hosts {
		end, err := h.begin()
		if err != nil {
			return nil, err
		}
		ends = append(ends, end)
	}
	read := [2]int64{w.read[0].Load(), w.read[1].Load()}
	time.Sleep(time.Duration(w.seconds) * time.Second)
	for _, end := range ends {
		p, err := end()
		if err != nil {
			return nil, err
		}
		for i := range p.read {
			p.read[i] = w.read[i].Load() - read[i]
		}
		both = append(both, p)
	}
	return both, nil
}

// begin measures a host until end.
func (h process) begin() (end func() (phase, error), err error) {
	before, err := h.scrape()
	pid := h.host()
	cpu, began := cpuTime(pid), time.Now()
	return func() (p phase, err error) {
		p.cpu, p.took = cpuTime(pid)-cpu, time.Since(began)
		after, err := h.scrape()
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
	}, err
}

var sample = regexp.MustCompile(`(?m)^([a-z0-9_]+(?:\{[^}]*\})?) (\S+)$`)

// scrape reads /metrics.
func (h process) scrape() (map[string]float64, error) {
	url := "http://" + local(h.ports[2]) + "/metrics"
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", url, answer.Status, text)
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
