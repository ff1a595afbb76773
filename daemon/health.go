package daemon

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"w3host/game"
)

// deadAfter is how long the game loop may leave a question unanswered before it counts as hanging. It is long because a
// restart ends all games.
const deadAfter = 10 * time.Second

// pulse detects a hanging game loop. It questions the loop only on request, so that an idle host can sleep.
type pulse struct {
	asked atomic.Int64 // when the pending question was asked, in ns since 1970; 0 if there is none
}

// silent returns how long the loop has left a question unanswered, and asks one if there is none. A hanging loop is
// detected deadAfter after the first call.
func (p *pulse) silent(ask func(answer func())) time.Duration {
	now := time.Now().UnixNano()
	if p.asked.CompareAndSwap(0, now) {
		ask(func() { p.asked.Store(0) })
	}
	if asked := p.asked.Load(); asked != 0 {
		return time.Duration(now - asked)
	}
	return 0
}

// askLoop makes the game loop call answer. It does not block.
func (d *daemon) askLoop(answer func()) {
	d.running.Snapshot(0, func(*game.Snapshot) { answer() })
}

// Health is the body of /healthz and /readyz.
type Health struct {
	Status string `json:"status"`           // ok, degraded, suspended, draining or hangs
	Reason string `json:"reason,omitempty"` // why Status is not ok
}

// alive returns the answer of /healthz: whether a restart is necessary.
func (d *daemon) alive() (int, Health) {
	if silent := d.pulse.silent(d.askLoop); silent > deadAfter {
		return http.StatusServiceUnavailable, Health{"hangs", "no game has moved for " + silent.Round(time.Second).String()}
	}
	return http.StatusOK, Health{Status: "ok"}
}

// ready returns the answer of /readyz: whether new players find a lobby. A host without its database is ready.
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
		return http.StatusServiceUnavailable, Health{"suspended", "the fleet's leases cannot be renewed; lobbies accept no new players"}
	case stats.SpoolDown:
		return http.StatusOK, Health{"degraded", "the spool cannot be written"}
	case stats.DBDown:
		return http.StatusOK, Health{"degraded", "the database does not answer"}
	}
	return http.StatusOK, Health{Status: "ok"}
}

// checkup registers /healthz and /readyz.
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
