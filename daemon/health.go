package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// pulseEvery is how often the loop of the games is asked for a sign of life.
	pulseEvery = time.Second
	// deadAfter without one the loop counts as hanging. A restart ends all games: it must
	// be worth that.
	deadAfter = 10 * time.Second
)

// pulse measures when the loop of the games last did something.
type pulse struct {
	last    atomic.Int64 // nanoseconds since 1970
	pending atomic.Bool  // an answer is on its way
}

// beat asks the loop at each tick until ctx ends, one question at a time.
func (p *pulse) beat(ctx context.Context, ask func(answer func())) {
	p.last.Store(time.Now().UnixNano())
	tick := time.NewTicker(pulseEvery)
	defer tick.Stop()
	for {
		if !p.pending.Swap(true) {
			ask(func() {
				p.last.Store(time.Now().UnixNano())
				p.pending.Store(false)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (p *pulse) silent(now time.Time) time.Duration { return now.Sub(time.Unix(0, p.last.Load())) }

// Health is the answer of /healthz and /readyz.
type Health struct {
	Status string `json:"status"`           // ok, degraded, suspended, draining, hangs
	Reason string `json:"reason,omitempty"` // why it is not ok
}

// alive says whether a restart would help.
func (d *daemon) alive() (int, Health) {
	if silent := d.pulse.silent(time.Now()); silent > deadAfter {
		return http.StatusServiceUnavailable, Health{"hangs", "no game has moved for " + silent.Round(time.Second).String()}
	}
	return http.StatusOK, Health{Status: "ok"}
}

// ready says whether new players find a lobby. Games go on without a database.
func (d *daemon) ready() (int, Health) {
	if code, h := d.alive(); code != http.StatusOK {
		return code, h
	}
	stats := d.recorder.Stats()
	switch {
	case d.ctx.Err() != nil:
		return http.StatusServiceUnavailable, Health{"draining", "the host is stopping"}
	case d.running.Draining():
		return http.StatusServiceUnavailable, Health{"draining", "no new lobbies are opened"}
	case d.fleet != nil && d.fleet.suspended():
		return http.StatusServiceUnavailable, Health{"suspended", "the leases of the fleet are not renewed: lobbies take nobody new"}
	case stats.SpoolDown:
		return http.StatusOK, Health{"degraded", "the spool cannot be written"}
	case stats.DBDown:
		return http.StatusOK, Health{"degraded", "the database is away"}
	}
	return http.StatusOK, Health{Status: "ok"}
}

// checkup answers both to the supervisor of the process.
func (d *daemon) checkup(handle func(pattern string, h http.Handler)) {
	for path, state := range map[string]func() (int, Health){"GET /healthz": d.alive, "GET /readyz": d.ready} {
		handle(path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			code, health := state()
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(health)
		}))
	}
}
