package dockertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// swarmRun is a Swarm with people who play and faults that come.
type swarmRun struct {
	*swarm
	t *testing.T
	r *rand.Rand

	mu     sync.Mutex
	faulty map[int]bool // nodes with a fault
	killed []hurt
	frozen []hurt
	counts map[string]int
	failed []string // what the engine would not do
}

// hurt is when a host died with its games, or stood still no longer.
type hurt struct {
	node int
	at   time.Time
}

// Whatever happens at random on a Swarm, no entry ever has two lobbies that take strangers, none for no longer than
// 15 s, and no game ends but by the death of its container.
func TestSwarmFaults(t *testing.T) {
	if *swarmFaults == 0 {
		t.Skip("SKIPPED: it takes an hour; -swarm-faults says how many faults it brings")
	}
	s := &swarmRun{swarm: deploySwarm(t), t: t, r: rand.New(rand.NewPCG(*swarmSeed, 2)), faulty: map[int]bool{}, counts: map[string]int{}}
	start := time.Now()
	for _, entry := range swarmEntries {
		s.await(t, entry, start, "")
	}
	ctx, stop := context.WithCancel(context.Background())
	var playing sync.WaitGroup
	games := make(chan botGame, 10000)
	for i, entry := range swarmEntries {
		playing.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				games <- s.play(ctx, entry, 0.2+0.2*float64(n%3), func(botGame) {})
			}
		})
	}
	s.faults(*swarmFaults)
	end := time.Now()
	for _, entry := range swarmEntries {
		s.await(t, entry, end, "")
	}
	stop()
	playing.Wait()
	close(games)
	s.judgeGames(games)
	t.Logf("faults: %v in %v; not done: %q", s.counts, end.Sub(start).Round(time.Second), s.failed)
	s.verdict(t)
}

// judgeGames wants each game that has begun to end well, but those whose container was killed, and those at
// whose end it was frozen: bots do not wait so long for their last actions.
func (s *swarmRun) judgeGames(games <-chan botGame) {
	var well, ended, unplayed int
	for g := range games {
		in := func(h hurt) bool { return h.node == g.node && h.at.After(g.from) && h.at.Before(g.to.Add(time.Second)) }
		late := strings.Contains(g.Verdict, "broke the rules") && slices.ContainsFunc(s.frozen, func(h hurt) bool { return in(h) && h.at.After(g.to.Add(-time.Second)) })
		switch {
		case !g.runs:
			unplayed++ // its lobby was lost with its host, or nobody new may come in
		case g.OK:
			well++
		case late:
			well++
		case slices.ContainsFunc(s.killed, in):
			ended++
		default:
			s.t.Errorf("%s", &g)
		}
	}
	s.t.Logf("%d games went well, %d ended with their container, %d lobbies came to nothing", well, ended, unplayed)
	if well == 0 {
		s.t.Error("nobody has played")
	}
}

// swarmFault is one kind. It lasts until do returns.
type swarmFault struct {
	name     string
	often    int
	database bool
	do       func(s *swarmRun, node int, task string, long func(least, most float64) time.Duration) error
}

var swarmFaultKinds = []swarmFault{
	{"container killed", 4, false, func(s *swarmRun, node int, task string, _ func(a, b float64) time.Duration) error {
		s.mu.Lock()
		s.killed = append(s.killed, hurt{node, time.Now()})
		s.mu.Unlock()
		_, err := s.nodes[node].try(s.t, "kill", "--signal", "KILL", task)
		return s.another(node, task, err)
	}},
	{"host killed in it", 3, false, func(s *swarmRun, node int, task string, _ func(a, b float64) time.Duration) error {
		return s.nodes[node].beside(s.t, task, "kill -9 $(cat /proc/$0/task/*/children)")
	}},
	{"SIGTERM", 2, false, func(s *swarmRun, node int, task string, _ func(a, b float64) time.Duration) error {
		_, err := s.nodes[node].try(s.t, "kill", "--signal", "TERM", task)
		return s.another(node, task, err)
	}},
	{"container frozen", 4, false, func(s *swarmRun, node int, task string, long func(a, b float64) time.Duration) error {
		err := s.freeze(node, task, long(0.5, 16))
		s.mu.Lock()
		s.frozen = append(s.frozen, hurt{node, time.Now()})
		s.mu.Unlock()
		return err
	}},
	{"cut from Postgres", 5, false, func(s *swarmRun, node int, task string, long func(a, b float64) time.Duration) error {
		err := s.cut(s.t, node, task)
		time.Sleep(long(2, 30))
		_ = s.mend(s.t, node, task) // it may have died meanwhile
		return err
	}},
	{"packets lost", 3, false, func(s *swarmRun, node int, task string, long func(a, b float64) time.Duration) error {
		const lose = "for p in 'OUTPUT -p tcp --dport' 'INPUT -p tcp --sport'; do nsenter -t $0 -n iptables -w -I $p 5432 -m statistic --mode random --probability %.1f -j DROP; done"
		err := s.nodes[node].beside(s.t, task, fmt.Sprintf(lose, long(1, 6).Seconds()/10))
		time.Sleep(long(5, 20))
		_ = s.mend(s.t, node, task)
		return err
	}},
	{"rolling update", 1, false, func(s *swarmRun, _ int, _ string, _ func(a, b float64) time.Duration) error {
		if _, err := s.nodes[0].try(s.t, "service", "update", "--quiet", "--detach", "--force", "--no-resolve-image", "w3host_w3host"); err != nil {
			return err
		}
		return s.updated(s.t, 10*time.Minute)
	}},
	{"Postgres killed", 2, true, func(s *swarmRun, _ int, task string, _ func(a, b float64) time.Duration) (err error) {
		s.watch.Away(func() {
			_, err = s.nodes[0].try(s.t, "kill", "--signal", "KILL", task)
			s.answers(task)
		})
		return err
	}},
	{"Postgres frozen", 2, true, func(s *swarmRun, _ int, task string, long func(a, b float64) time.Duration) (err error) {
		s.watch.Away(func() { err = s.freeze(0, task, long(1, 12)) })
		return err
	}},
	{"Postgres cut off", 2, true, func(s *swarmRun, _ int, task string, long func(a, b float64) time.Duration) (err error) {
		s.watch.Away(func() {
			err = s.nodes[0].beside(s.t, task, "nsenter -t $0 -n iptables -w -I INPUT -p tcp --dport 5432 -j DROP")
			time.Sleep(long(2, 12))
			_ = s.mend(s.t, 0, task)
		})
		return err
	}},
	{"connections of Postgres ended", 1, true, func(s *swarmRun, _ int, _ string, _ func(a, b float64) time.Duration) error {
		_, err := s.sql(s.t, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'w3host'")
		return err
	}},
	{"clock of Postgres set", 4, true, func(s *swarmRun, _ int, task string, long func(a, b float64) time.Duration) error {
		step := []int{-3600, -60, -12, -4, 4, 12, 60, 3600}[int(long(0, 8).Seconds())]
		if _, err := s.nodes[0].try(s.t, "exec", task, "sh", "-c", fmt.Sprintf("echo %+d >/tmp/clock", step)); err != nil {
			return err
		}
		time.Sleep(1100 * time.Millisecond) // it is read once a second
		now, err := s.sql(s.t, "SELECT extract(epoch FROM clock_timestamp())::bigint")
		if seconds, bad := strconv.ParseInt(strings.TrimSpace(now), 10, 64); err == nil && (bad != nil || max(time.Now().Unix()+int64(step)-seconds, seconds-time.Now().Unix()-int64(step)) > 3) {
			err = fmt.Errorf("it was to be set by %d s; it says %q at %d", step, now, time.Now().Unix())
		}
		return err
	}},
}

// faults brings so many at random: four in ten while others last. One node is always left alone.
func (s *swarmRun) faults(count int) {
	var kinds []swarmFault
	for _, k := range swarmFaultKinds {
		kinds = append(kinds, slices.Repeat([]swarmFault{k}, k.often)...)
	}
	var lasting, database sync.WaitGroup
	for n := range count {
		if end, ok := s.t.Deadline(); ok && time.Until(end) < 6*time.Minute {
			s.t.Errorf("no time for more than %d faults (-timeout)", n)
			break
		}
		k := kinds[s.r.IntN(len(kinds))]
		node, alone := s.r.IntN(len(s.nodes)), s.r.Float64() < 0.6 || k.name == "rolling update" || k.name == "SIGTERM"
		lengths := rand.New(rand.NewPCG(*swarmSeed, uint64(n)+10))
		if k.name == "rolling update" || k.name == "SIGTERM" {
			lasting.Wait() // a second SIGTERM ends a host that drains, with its games
		}
		if k.database {
			database.Wait()
			node = 0
		} else if node = s.free(node); node < 0 {
			lasting.Wait()
			node = s.free(s.r.IntN(len(s.nodes)))
		}
		service := "w3host"
		if k.database {
			service = "postgres"
			database.Add(1)
		}
		s.counts[k.name]++
		lasting.Go(func() {
			began := time.Now()
			err := k.do(s, node, s.aTask(s.t, node, service), func(least, most float64) time.Duration {
				return time.Duration((least + lengths.Float64()*(most-least)) * float64(time.Second))
			})
			s.t.Logf("%d: %s: %s on node %d for %v", n, began.Format(time.TimeOnly), k.name, node+1, time.Since(began).Round(100*time.Millisecond))
			s.mu.Lock()
			defer s.mu.Unlock()
			if err != nil {
				s.failed = append(s.failed, fmt.Sprintf("%s: %.200v", k.name, err))
			}
			if k.database {
				database.Done()
			} else {
				delete(s.faulty, node)
			}
		})
		if alone {
			lasting.Wait()
		}
		time.Sleep(time.Duration((0.2 + s.r.Float64()*4.8) * float64(time.Second)))
	}
	lasting.Wait()
}

// free takes a node for a fault; -1: only one has none.
func (s *swarmRun) free(node int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faulty) >= len(s.nodes)-1 {
		return -1
	}
	for s.faulty[node] {
		node = (node + 1) % len(s.nodes)
	}
	s.faulty[node] = true
	return node
}

// another waits until a node has a container in the place of one, with a host that listens.
func (s *swarmRun) another(node int, task string, err error) error {
	for end := time.Now().Add(5 * time.Minute); err == nil; time.Sleep(200 * time.Millisecond) {
		if now := s.task(s.t, node, "w3host"); now != "" && now != task {
			conn, bad := s.dial(context.Background(), "tcp", s.addr(node))
			if bad == nil {
				_ = conn.Close()
				return nil
			}
		}
		if time.Now().After(end) {
			err = fmt.Errorf("no other host on node %d", node+1)
		}
	}
	return err
}

func (s *swarmRun) freeze(node int, task string, long time.Duration) error {
	_, err := s.nodes[node].try(s.t, "pause", task)
	time.Sleep(long)
	if err == nil {
		_, err = s.nodes[node].try(s.t, "unpause", task)
	}
	return err
}

// answers waits until Postgres does, in another container than one.
func (s *swarmRun) answers(but string) {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if task := s.task(s.t, 0, "postgres"); task != "" && task != but {
			if out, err := s.sql(s.t, "SELECT 1"); err == nil && strings.TrimSpace(out) == "1" {
				return
			}
		}
	}
}
