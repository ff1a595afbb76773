package dockertest

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// The long run is
//
//	scripts/with-postgres.sh go test ./internal/dockertest -run Swarm -swarm-faults 200 -timeout 3h -v
var (
	swarmShort  = flag.Bool("swarm", false, "play TestSwarm, which takes two to four minutes")
	swarmFaults = flag.Int("swarm-faults", 0, "random faults of TestSwarmFaults; 0: it is skipped, and TestSwarm is short")
	swarmSeed   = flag.Uint64("swarm-seed", 1, "of them")
)

// What docs/fleet.md promises of a Swarm: a host that is cut from Postgres goes on with its games and
// shows nothing, an update ends no game, bans count everywhere, and no entry has two lobbies.
func TestSwarm(t *testing.T) {
	if !*swarmShort && *swarmFaults == 0 {
		t.Skip("SKIPPED: it takes two to four minutes; -swarm plays it")
	}
	cut, minutes, bans := 14*time.Second, 0.25, 5
	if *swarmFaults > 0 {
		cut, minutes, bans = 30*time.Second, 3, 100
	}
	s := deploySwarm(t)
	start := time.Now()
	for _, entry := range swarmEntries {
		s.await(t, entry, start, "")
	}
	s.ban(t, bans)
	s.cutFromPostgres(t, cut)
	s.update(t, minutes)
	s.verdict(t)
}

func (s *swarm) verdict(t *testing.T) {
	t.Helper()
	worst, faults := s.watch.Judge()
	for _, fault := range faults {
		t.Error(fault)
	}
	if worst.Long > 15*time.Second {
		t.Error(worst)
		s.said(t, worst.From.Add(-15*time.Second), worst.To.Add(2*time.Second))
	}
	t.Logf("%d lobbies; none for %v at most while Postgres answered", s.watch.Seen(), worst.Long)
}

// said prints what all hosts logged in a time, those that are gone, too.
func (s *swarm) said(t *testing.T, from, to time.Time) {
	t.Helper()
	for i, n := range s.nodes {
		list, _ := n.try(t, "ps", "--all", "--quiet", "--filter", "name=w3host_w3host.")
		for container := range strings.FieldsSeq(list) {
			// The containers log to their standard error.
			out, _ := exec.Command("sh", "-c", `exec timeout 20 "$@" 2>&1`, "sh", n.name, "--host", "unix://"+n.dir+"/socket", "logs", "--since", from.Format(time.RFC3339), "--until", to.Format(time.RFC3339), container).Output()
			if len(out) > 0 {
				t.Logf("node %d, %.12s:\n%s", i+1, container, out)
			}
		}
	}
}

// await waits until another node than one lets strangers into the lobby of an entry.
func (s *swarm) await(t *testing.T, entry string, since time.Time, but string) string {
	t.Helper()
	for end := time.Now().Add(2 * patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if node := s.watch.Who(entry, since, but); node != "" {
			return node
		}
	}
	for i, n := range s.nodes {
		if out, err := n.try(t, "logs", "--tail", "20", s.task(t, i, "w3host")); err == nil {
			t.Log(out)
		}
	}
	out, _ := s.nodes[0].try(t, "stack", "ps", "--no-trunc", "w3host")
	t.Fatalf("nobody but %q has a lobby of %s\n%s", but, entry, out)
	return ""
}

// ban bans somebody and lifts that again: all lobbies of all nodes know it in two seconds.
func (s *swarm) ban(t *testing.T, times int) {
	t.Helper()
	var worst time.Duration
	for n := range times {
		task := s.aTask(t, n%len(s.nodes), "w3host")
		for _, c := range []struct {
			command string
			in      bool
		}{{"add", false}, {"remove", true}} {
			s.nodes[n%len(s.nodes)].run(t, "exec", task, "/w3host", "ban", c.command, "villain")
			worst = max(worst, s.until(t, c.in))
		}
	}
	t.Logf("%d bans: known on all nodes %v after the command at most", times, worst)
	if worst > 2*time.Second {
		t.Errorf("a ban is known everywhere after %v", worst)
	}
}

// until waits until somebody comes into every lobby, or into none.
func (s *swarm) until(t *testing.T, in bool) time.Duration {
	t.Helper()
	began := time.Now()
	for node := range s.nodes {
		for _, lobby := range s.watch.Lobbies(t.Context(), s.addr(node)) {
			for s.watch.Knock(t.Context(), s.addr(node), &lobby, "villain") != in {
				if time.Since(began) > patience {
					t.Fatalf("they come in: not %v", in)
				}
			}
		}
	}
	return time.Since(began)
}

// cutFromPostgres takes Postgres from a host that has a game and lobbies.
func (s *swarm) cutFromPostgres(t *testing.T, long time.Duration) {
	t.Helper()
	played := s.playing(t, swarmEntries[0], long.Minutes()+0.2)
	g := <-played
	host := s.run(g.node)
	time.Sleep(5 * time.Second) // the game runs, and its host has another lobby
	task := s.task(t, g.node, "w3host")
	if err := s.cut(t, g.node, task); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for time.Since(began) < long {
		if list := s.watch.Lobbies(t.Context(), s.addr(g.node)); len(list) > 0 && time.Since(began) > 8500*time.Millisecond {
			t.Errorf("%v after it was cut from Postgres the host shows %s", time.Since(began), list[0].Name)
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, entry := range swarmEntries {
		s.await(t, entry, time.Now().Add(-2*time.Second), host)
	}
	const query = "SELECT count(*) FROM fleet_leases l JOIN fleet_sessions s ON s.id = l.session WHERE s.name = 'node%d' AND l.pool LIKE 'entry/%%'"
	if held, err := s.sql(t, fmt.Sprintf(query, g.node+1)); err != nil || held != "0" {
		t.Errorf("a host that was cut from Postgres has %s leases (%v)", held, err)
	}
	if err := s.mend(t, g.node, task); err != nil {
		t.Fatal(err)
	}
	if g = <-played; !g.OK {
		t.Errorf("a game of a host that was cut from Postgres for %v: %s", long, &g)
	}
}

// update replaces all hosts while one has a game.
func (s *swarm) update(t *testing.T, minutes float64) {
	t.Helper()
	played := s.playing(t, swarmEntries[1], minutes)
	<-played
	time.Sleep(2 * time.Second)
	began := time.Now()
	s.nodes[0].run(t, "service", "update", "--quiet", "--detach", "--no-resolve-image", "--image", "w3host:v2", "w3host_w3host")
	if err := s.updated(t, time.Duration(minutes*float64(time.Minute))+4*patience); err != nil {
		t.Error(err)
	}
	g := <-played
	if !g.OK {
		t.Errorf("a game during an update: %s", &g)
	}
	t.Logf("a game of %v outlived an update that took %v", g.to.Sub(g.from), time.Since(began))
	for i, n := range s.nodes {
		if image := n.run(t, "inspect", "--format", "{{.Config.Image}}", s.aTask(t, i, "w3host")); image != "w3host:v2" {
			t.Errorf("node %d has %s after the update", i+1, image)
		}
	}
}

// updated waits for the end of an update.
func (s *swarm) updated(t *testing.T, within time.Duration) error {
	t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(500 * time.Millisecond) {
		out, err := s.nodes[0].try(t, "service", "inspect", "--format", "{{.UpdateStatus.State}} {{.UpdateStatus.Message}}", "w3host_w3host")
		if err != nil || !strings.HasPrefix(out, "updating") {
			if err == nil && !strings.HasPrefix(out, "completed") {
				err = fmt.Errorf("the update: %s", out)
			}
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("the update does not end: %s", out)
		}
	}
}

// playing begins a game. It sends it once when it runs, and once when it has ended.
func (s *swarm) playing(t *testing.T, entry string, minutes float64) <-chan botGame {
	t.Helper()
	games := make(chan botGame, 2)
	var playing sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); playing.Wait() })
	playing.Go(func() {
		defer close(games)
		for ctx.Err() == nil {
			g := s.play(ctx, entry, minutes, func(g botGame) { games <- g })
			if g.runs {
				games <- g
				return
			}
			t.Log("no game: ", &g)
		}
	})
	return games
}

// cut has a task's container and Postgres hear nothing of each other.
func (s *swarm) cut(t *testing.T, node int, container string) error {
	t.Helper()
	return s.nodes[node].beside(t, container, "nsenter -t $0 -n iptables -w -I OUTPUT -p tcp --dport 5432 -j DROP; nsenter -t $0 -n iptables -w -I INPUT -p tcp --sport 5432 -j DROP")
}

// mend ends that.
func (s *swarm) mend(t *testing.T, node int, container string) error {
	t.Helper()
	return s.nodes[node].beside(t, container, "nsenter -t $0 -n iptables -w -F")
}
