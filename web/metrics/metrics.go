// Package metrics counts events of games for Prometheus. Labels have a fixed set of values, and
// never contain the name of a player, a game, a map or an address.
package metrics

import (
	"cmp"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"w3host/host"
	"w3host/internal/diskspace"
	"w3host/internal/threads"
	"w3host/storage"
	gamesync "w3host/sync"
)

const (
	namespace = "w3host"
	// scrapeWithin is the time limit of a scrape. Only one scrape is answered at a time.
	scrapeWithin = 5 * time.Second
)

// Options holds functions that are called at each scrape. They must not block.
type Options struct {
	Version string
	Totals  func() host.Totals
	Records func() storage.RecorderStats
	Realms  func() map[string]bool // whether an account is logged on at each
	DataDir string
	// Observers returns the state of the queues from which observers take facts, and Watchers the
	// state of the streams, both by name.
	Observers, Watchers map[string]Standing
	Groups              []string // of requests to the web console
}

// Standing returns, for an observer, the numbers of queued and of lost facts; for a kind of stream,
// the numbers of open ones and of those closed because their client read too slowly.
type Standing func() (now int, lost uint64)

// Metrics observes all games.
type Metrics struct {
	registry *prometheus.Registry

	turns, missed, desyncs, mapBytes prometheus.Counter
	lateness, rtt, screens           prometheus.Histogram

	lags, joins, ends, drops, returns, downloads closed

	requests *prometheus.HistogramVec
	groups   []string // of them
}

// closed is a set of counters, one for each value of a label. Unknown values count as "other".
type closed struct {
	counters map[string]prometheus.Counter
	other    prometheus.Counter
}

func (c *closed) inc(value string) {
	cmp.Or(c.counters[value], c.other).Inc()
}

// classes holds the label values for response statuses, from 200 on.
var classes = [...]string{"2xx", "3xx", "4xx", "5xx"}

func registered[C prometheus.Collector](r *prometheus.Registry, c C) C {
	r.MustRegister(c)
	return c
}

// New returns the metrics. All their series exist from the start, with the value 0.
func New(o Options) *Metrics {
	r := prometheus.NewRegistry()
	m := &Metrics{registry: r, groups: o.Groups}
	counter := func(name, help string) prometheus.Counter {
		return registered(r, prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}))
	}
	histogram := func(name, help string, seconds ...float64) prometheus.Histogram {
		return registered(r, prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: seconds}))
	}
	labelled := func(name, help, label string, values ...string) (c closed) {
		vec := registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, []string{label}))
		c.counters = make(map[string]prometheus.Counter, len(values))
		for _, value := range values {
			c.counters[value] = vec.WithLabelValues(value)
		}
		c.other = vec.WithLabelValues("other")
		return c
	}
	m.turns = counter("turns_total", "Turns sent, of all games.")
	m.missed = counter("turns_missed_total", "Turns sent so late that the next one was due.")
	m.lateness = histogram("turn_lateness_seconds", "How long after its due time a turn was made.",
		.0001, .00025, .0005, .001, .002, .005, .01, .02, .05, .1, .25, 1)
	m.rtt = histogram("player_rtt_seconds", "Last round trip of a player's ping, when the player leaves.",
		.01, .025, .05, .1, .15, .25, .4, .7, 1, 2, 5)
	m.lags = labelled("lag_screens_total", "Waits for players in games, by what the longest came from.", "cause",
		string(gamesync.CauseConnection), string(gamesync.CauseComputer), hostCause, string(gamesync.CauseUnknown))
	m.screens = histogram("lag_screen_seconds", "How long games stood still.", .5, 1, 2, 5, 10, 20, 45, 60, 120)
	m.desyncs = counter("desyncs_total", "Times that players no longer had the same game.")
	m.joins = labelled("joins_total", "Joins, by what became of them.", "result", joined, "full", "started", "wrong_key")
	m.ends = labelled("games_ended_total", "Games that ended after their start, by the way.", "reason", slices.Collect(maps.Values(ways))...)
	m.drops = labelled("drops_total", "Players removed from games, by whom.", "reason", "kicked", "host")
	m.returns = labelled("reconnects_total", "Players who lost their connection in a game and could come back.", "result", "lost", "back")
	m.mapBytes = counter("map_sent_bytes_total", "Bytes of maps that downloads have had when they ended.")
	m.downloads = labelled("downloads_total", "Map downloads that ended.", "result", "complete", "failed")
	m.requests = registered(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "http_request_duration_seconds", Help: "Duration of HTTP requests without streams, by group and status class.",
		Buckets: []float64{.005, .025, .1, .5, 2.5},
	}, []string{"group", "class"}))
	for _, group := range o.Groups {
		for _, class := range classes {
			m.requests.WithLabelValues(group, class)
		}
	}
	r.MustRegister(standing{o, &threads.Counter{PID: os.Getpid()}}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Request counts a response. It is safe for concurrent use.
func (m *Metrics) Request(group string, status int, took time.Duration) {
	if slices.Contains(m.groups, group) {
		m.requests.WithLabelValues(group, classes[min(max(status/100-2, 0), len(classes)-1)]).Observe(took.Seconds())
	}
}

// Handler returns the handler of scrapes.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 1, Timeout: scrapeWithin})
}

// standing is a collector for values that are queried at each scrape.
type standing struct {
	Options
	threads *threads.Counter
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

var (
	buildInfo  = gauge("build_info", "The version of the program.", "version")
	lobbies    = gauge("lobbies", "Open lobbies.")
	missing    = gauge("lobbies_missing", "Lobbies that autohost wants and has not opened.")
	games      = gauge("games", "Running games.")
	players    = gauge("players", "Players with a connection or a seat.", "phase")
	waiting    = gauge("records_waiting", "Records on their way to the database.")
	lost       = gauge("records_lost_total", "Records that will never be in the database.")
	databaseUp = gauge("database_up", "Whether the database took what was written last.")
	spoolUp    = gauge("spool_up", "Whether the spool took what was written last.")
	realmUp    = gauge("realm_up", "Whether an account is logged on at the realm.", "realm")
	diskFree   = gauge("disk_free_bytes", "What may still be written to the disk of host.data_dir.")
	queued     = gauge("observer_queue_length", "Facts that an observer has not taken yet.", "observer")
	unseen     = gauge("observer_lost_total", "Facts for which an observer had no room.", "observer")
	watchers   = gauge("watchers", "Streams of pages and events that are open.", "kind")
	unread     = gauge("watchers_dropped_total", "Streams that ended since nobody read them.", "kind")
	diskSize   = gauge("disk_size_bytes", "The size of the disk of host.data_dir.")
	timeSlices = gauge("thread_slices_total", "Times that a thread of the host was given a processor: about one for each wake-up (Linux only).")
	sleeps     = gauge("thread_sleeps_total", "Voluntary context switches of all threads of the host (Linux only).")
)

// Describe implements prometheus.Collector.
func (s standing) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{buildInfo, lobbies, missing, games, players, waiting, lost, databaseUp, spoolUp, realmUp, diskFree, diskSize, queued, unseen, watchers, unread, timeSlices, sleeps} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (s standing) Collect(to chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	count := func(d *prometheus.Desc, value uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}
	t, records := s.Totals(), s.Records()
	send(buildInfo, 1, s.Version)
	send(lobbies, float64(t.Lobbies))
	send(missing, float64(t.Missing))
	send(games, float64(t.Games))
	send(players, float64(t.LobbyPlayers), "lobby")
	send(players, float64(t.GamePlayers), "game")
	send(waiting, float64(records.Waiting))
	count(lost, records.Lost.Total())
	send(databaseUp, up(!records.DBDown))
	send(spoolUp, up(!records.SpoolDown))
	for name, online := range s.Realms() {
		send(realmUp, up(online), name)
	}
	for name, standing := range s.Observers {
		now, lost := standing()
		send(queued, float64(now), name)
		count(unseen, lost, name)
	}
	for kind, standing := range s.Watchers {
		now, lost := standing()
		send(watchers, float64(now), kind)
		count(unread, lost, kind)
	}
	if free, all, known := diskspace.Of(s.DataDir); known {
		send(diskFree, float64(free))
		send(diskSize, float64(all))
	}
	if u, known := s.threads.Count(); known {
		count(timeSlices, u.Slices)
		count(sleeps, u.Sleeps)
	}
}

func up(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
