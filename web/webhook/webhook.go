// Package webhook sends events of lobbies and games to other sites. Each site has a bounded queue
// and a goroutine of its own, so that a slow site delays neither games nor other sites.
package webhook

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"w3host/web/api"
)

const (
	// queued is the capacity of a site's queue. Events beyond it are lost.
	queued = 256
	// gamesKept limits the number of remembered games, in case the ends of games get lost.
	gamesKept = 4096
)

// Hook is a site and the types of events that it receives.
type Hook struct {
	Label    string // in the log, which does not have the URL
	URL      string
	Key      []byte   // of signatures; nil: none
	Events   []string // types
	Entries  []string // none: all
	Discord  bool
	Template string // makes the text of a message
}

// Game holds the facts of a game that are sent with its events.
type Game struct {
	Name, Map, Entry string
	Private          bool // it is told to nobody
}

// Options holds the settings and sources of Hooks. A duration of 0 selects the default.
type Options struct {
	Host   string // who tells
	Game   func(id uint32) (g Game, known bool)
	Log    zerolog.Logger
	First  time.Duration // before the second try; doubled for each further one
	Within time.Duration // for an answer
}

// Hooks sends events to all sites.
type Hooks struct {
	opts    Options
	client  *http.Client
	mu      sync.Mutex
	games   map[uint32]Game
	senders []*sender
	running sync.WaitGroup
}

// New returns Hooks without sites; Use sets them.
func New(o Options) *Hooks {
	o.First, o.Within = cmp.Or(o.First, time.Second), cmp.Or(o.Within, 10*time.Second)
	return &Hooks{opts: o, games: make(map[uint32]Game), client: &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
		Timeout:   o.Within,
		// A redirect could send the events to any site.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Use replaces the list of sites. A site that was on the old list keeps its queued events.
func (h *Hooks) Use(hooks []Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.senders
	h.senders = nil
	for _, hook := range hooks {
		at := slices.IndexFunc(before, func(s *sender) bool { return reflect.DeepEqual(s.hook, hook) })
		if at >= 0 {
			h.senders, before = append(h.senders, before[at]), slices.Delete(before, at, at+1)
			continue
		}
		ctx, stop := context.WithCancel(context.Background())
		s := &sender{hook: hook, opts: h.opts, client: h.client, stop: stop, queue: make(chan Delivery, queued), logLimit: rate.Sometimes{Interval: time.Minute}}
		h.running.Go(func() { s.run(ctx) }) // ends with stop
		h.senders = append(h.senders, s)
	}
	for _, s := range before {
		s.stop()
	}
}

// Close ends all deliveries. Queued events are discarded.
func (h *Hooks) Close() {
	h.Use(nil)
	h.running.Wait()
	h.client.CloseIdleConnections()
}

// Standing returns the number of queued events, and of lost ones, for the current sites.
func (h *Hooks) Standing() (waiting int, lost uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.senders {
		waiting, lost = waiting+len(s.queue), lost+s.lost.Load()
	}
	return waiting, lost
}

// Send queues an event for the sites that receive its type. It does not block.
func (h *Hooks) Send(e api.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, known := h.game(&e)
	if !known || g.Private {
		return
	}
	for _, s := range h.senders {
		if slices.Contains(s.hook.Events, e.Type) && (len(s.hook.Entries) == 0 || slices.Contains(s.hook.Entries, g.Entry)) {
			s.put(Delivery{Host: h.opts.Host, Event: e, Name: g.Name, Map: g.Map, Entry: g.Entry})
		}
	}
}

// game returns the last known facts of an event's game, because a game that has ended can no longer
// be queried.
func (h *Hooks) game(e *api.Event) (g Game, known bool) {
	if g, known = h.opts.Game(e.Game); !known {
		g, known = h.games[e.Game]
	} else {
		if len(h.games) >= gamesKept {
			clear(h.games)
		}
		h.games[e.Game] = g
	}
	if e.Type == api.EndedType {
		delete(h.games, e.Game)
	}
	return g, known
}
