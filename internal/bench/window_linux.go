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

// The load on the web console.
const (
	watching     = 50  // event streams, half for the list of games, half for single games
	neverReading = 50  // event streams whose data is never read
	loads        = 200 // page loads per second
	guessing     = 20  // clients that try passwords, one after another
	uploading    = 2   // concurrent uploads of uploadSize bytes
	uploadSize   = 128 << 20
	tokens       = 16 // access tokens, since an account may have at most 16 streams
)

// window measures the effect of the web console on games: alternately without users, with viewers, and under
// full load. A second host, the twin, runs as many games at the same time without console users. Delays of
// both hosts come from the machine; further delays of the first one come from the console.
type window struct {
	*bench
	url    string
	hosts  []process // the host and its twin; their ports are for games, console and metrics
	games  int
	tokens []string
	read   [2]atomic.Int64 // bytes read: list of games, single games
}

// phase holds the measurements of a host in one interval.
type phase struct {
	buckets map[float64]float64 // number of turns that were at most this late, in seconds
	missed  float64
	cpu     time.Duration
	took    time.Duration
	read    [2]int64
}

// windowOf prints the table for a host.
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

// Kinds of load.
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
	all := make([][][]phase, len(kinds)) // by kind, measurement, and host or twin
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
	time.Sleep(5 * time.Second) // until the last streams have ended
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

// share returns the CPU usage in per cent of a core.
func (p *phase) share() float64 { return 100 * p.cpu.Seconds() / p.took.Seconds() }

// quantile returns a quantile of the turns' lateness, computed from buckets like Prometheus does.
func (p *phase) quantile(q float64) float64 {
	rank, low, below := q*p.buckets[0], 0.0, 0.0 // key 0 stands for infinity
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

// measure puts load on the host's console for a while and returns the measurements of both hosts.
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

// begin starts measuring a host; end returns the result.
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

// scrape reads the host's /metrics.
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
