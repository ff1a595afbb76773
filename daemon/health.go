package daemon

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"w3host/game"
)

// deadAfter is how long the loop of the games may leave a question unanswered before it counts
// as hanging. A restart ends all games: it must be worth that.
const deadAfter = 10 * time.Second

// pulse finds out whether the loop of the games hangs. It asks the loop only when somebody wants
// to know, so that a host with nothing to do sleeps.
type pulse struct {
	asked atomic.Int64 // when the question was put that has no answer yet, in nanoseconds since 1970; 0: there is none
}

// silent returns how long the loop has left a question unanswered, and puts one if there is none:
// a loop that hangs is noticed deadAfter after the first call.
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

// askLoop has the loop of the games call answer. It does not wait.
func (d *daemon) askLoop(answer func()) {
	d.running.Snapshot(0, func(*game.Snapshot) { answer() })
}

// Health is the answer of /healthz and /readyz.
type Health struct {
	Status string `json:"status"`           // ok, degraded, suspended, draining, hangs
	Reason string `json:"reason,omitempty"` // why it is not ok
}

// alive says whether a restart would help.
func (d *daemon) alive() (int, Health) {
	if silent := d.pulse.silent(d.askLoop); silent > deadAfter {
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
