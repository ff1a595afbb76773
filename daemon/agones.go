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
	// agonesEvery is how often the sidecar gets a sign of life.
	agonesEvery = 2 * time.Second
	// agonesWithin bounds one request to it.
	agonesWithin = time.Second
	// agonesPort is where the sidecar listens if the environment does not say it.
	agonesPort = "9358"
)

// agones reports the state of the host to the sidecar of Agones, by its REST interface. A sidecar that
// does not answer gets the report at the next beat: it may start later than the host.
type agones struct {
	url      string
	log      zerolog.Logger
	alive    func() bool // the loop of the games moves
	people   func() bool // somebody is in a lobby or game
	reported string      // the last state that the sidecar has taken
	down     bool        // it has not answered
}

// reportToAgones begins to report; the function that it returns says that the host ends, unless
// another process goes on in its place.
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
			return // the process that goes on reports to the sidecar
		}
		if err := a.post(context.Background(), "/shutdown"); err != nil {
			a.log.Warn().Err(err).Msg("cannot report to the sidecar of Agones that the host ends")
		}
	}
}

// run reports the state of the host until ctx ends. An allocated server is left alone by updates
// and by scaling down, so a host is while somebody is in it.
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
		return // it is not healthy, and Agones is to find that out
	}
	state := "/ready"
	if a.people() {
		state = "/allocate"
	}
	err := a.post(ctx, "/health")
	if err == nil && state != a.reported {
		if err = a.post(ctx, state); err == nil {
			a.reported = state
			a.log.Debug().Str("state", state).Msg("the sidecar of Agones has taken the state")
		}
	}
	if err != nil && !a.down && ctx.Err() == nil {
		a.log.Warn().Err(err).Msg("the sidecar of Agones does not answer; the state is reported again")
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
		return fmt.Errorf("the sidecar refuses it: %s answers %s", path, answer.Status)
	}
	return nil
}
