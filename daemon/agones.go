package daemon

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

const (
	// agonesEvery is the interval of health reports to the sidecar.
	agonesEvery = 2 * time.Second
	// agonesWithin is the time limit of a request.
	agonesWithin = time.Second
	// agonesPort is the sidecar's port if the environment does not set one.
	agonesPort = "9358"
)

// agones reports the state of the host to the Agones sidecar through its REST API. A report that fails is repeated at
// the next interval, since the sidecar may start later than the host.
type agones struct {
	url      string
	log      zerolog.Logger
	alive    func() bool // the game loop is responsive
	people   func() bool // there are players in a lobby or game
	reported string      // the last state accepted by the sidecar
	down     bool        // the last report failed
}

// reportToAgones starts to report the health and the state of this host to Agones. The returned function tells Agones that the host
// shuts down, unless another process takes over.
func (d *daemon) reportToAgones() (end func()) {
	if !d.Config.Fleet.Agones {
		return func() {}
	}
	a := &agones{
		url:   "http://127.0.0.1:" + cmp.Or(os.Getenv("AGONES_SDK_HTTP_PORT"), agonesPort),
		log:   d.part("agones"),
		alive: func() bool { return d.pulse.silent(d.askLoop) <= deadAfter },
		people: func() bool {
			t := d.running.Totals(time.Now())
			return t.Games > 0 || t.LobbyPlayers > 0
		},
	}
	endRun := d.alongside(func(ctx context.Context) { a.run(ctx, agonesEvery) })
	return func() {
		endRun()
		if d.handing.Load() {
			return // the process that takes over reports to the sidecar
		}
		if err := a.post(context.Background(), "/shutdown"); err != nil {
			a.log.Warn().Err(err).Msg("cannot report the end of the host to the Agones sidecar")
		}
	}
}

// run reports the state of the host until ctx ends. The host is allocated while it has players, because Agones does not
// update or remove allocated servers.
func (a *agones) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		a.report(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (a *agones) report(ctx context.Context) {
	if !a.alive() {
		return // no report: Agones must notice that the host is unhealthy
	}
	state := "/ready"
	if a.people() {
		state = "/allocate"
	}
	err := a.post(ctx, "/health")
	if err == nil && state != a.reported {
		if err = a.post(ctx, state); err == nil {
			a.reported = state
			a.log.Debug().Str("state", state).Msg("state reported to the Agones sidecar")
		}
	}
	if err != nil && !a.down && ctx.Err() == nil {
		a.log.Warn().Err(err).Msg("the Agones sidecar does not answer; will report again")
	}
	a.down = err != nil
}

func (a *agones) post(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, agonesWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+path, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the sidecar refused %s: %s", path, answer.Status)
	}
	return nil
}
