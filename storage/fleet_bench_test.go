package storage_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"w3host/fleet"
	"w3host/storage"
	"w3host/storage/storagetest"
)

var (
	fleetBench  = flag.Int("fleet-hosts", 0, "hosts of TestFleetLoad; 0: it is skipped")
	fleetPooler = flag.String("fleet-pooler", "", "HOST:PORT of a pooler in transaction mode for TestFleetLoad")
)

const (
	loadEntries = 100
	loadEach    = 100 // lobbies that a host may have
	loadConns   = 50
	loadLasts   = 20 * time.Second
	coldLasts   = 60 * time.Second // at most
)

// load is many hosts on one database, and what is measured of them.
type load struct {
	t     *testing.T
	db    *pgx.Conn // of the test, without the pooler
	pools []storage.Pool
	seats []*seat
	began time.Time

	mu                  sync.Mutex
	took                []time.Duration
	takes, lost, failed int
}

// So many hosts, each with up to 100 lobbies of 100 entries, beat once a second over 50 connections: first with all
// leases free, until all are taken; then with all held; then with lobbies of five minutes. Postgres and the hosts share
// the machine: what each uses of it is told, and the time that a beat takes in the server alone.
//
//	scripts/with-postgres.sh go test ./storage -run FleetLoad -fleet-hosts 1000 -v
func TestFleetLoad(t *testing.T) {
	if *fleetBench == 0 {
		t.Skip("SKIPPED: it takes minutes; -fleet-hosts says how many hosts there are")
	}
	l := newLoad(t)
	l.measure("cold start", 0, true, coldLasts)
	held := 0
	for _, s := range l.seats {
		held += len(s.Held())
	}
	t.Logf("after it %d of %d leases are held", held, *fleetBench*loadEach)
	l.measure("all held", 0, false, loadLasts)
	l.measure("lobbies of five minutes", 300, true, loadLasts)
}

func newLoad(t *testing.T) *load {
	t.Helper()
	url := storagetest.Postgres(t)
	l := &load{t: t, began: time.Now()}
	var err error
	if l.db, err = pgx.Connect(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.db.Close(context.Background()) })
	raw(t, url, "ALTER DATABASE "+l.db.Config().Database+" SET track_functions = 'pl'")
	for i := range loadEntries {
		l.pools = append(l.pools, storage.Pool{Name: fmt.Sprintf("entry/%d", i), Leases: *fleetBench * loadEach / loadEntries})
	}
	store := storagetest.Open(t, url)
	if *fleetPooler != "" {
		// A pooler passes no search_path on.
		path := l.db.Config().RuntimeParams["search_path"]
		raw(t, url, "ALTER DATABASE "+l.db.Config().Database+" SET search_path = "+path)
		url = strings.Replace(url, "search_path="+path, "application_name=w3host", 1)
		url = strings.Replace(url, fmt.Sprintf("%s:%d", l.db.Config().Host, l.db.Config().Port), *fleetPooler, 1) + "&default_query_exec_mode=exec"
	}
	for i := range *fleetBench {
		if i < loadConns {
			f, err := store.Fleet(url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = f.Close() })
			s, _ := settle(t, f)
			l.seats = append(l.seats, s)
			continue
		}
		s, _ := settle(t, l.seats[i%loadConns].f)
		l.seats = append(l.seats, s)
	}
	if err := l.seats[0].f.Define(t.Context(), l.pools); err != nil {
		t.Fatal(err)
	}
	raw(t, l.db.Config().ConnString(), "VACUUM ANALYZE")
	return l
}

// measure lets all hosts beat for a while: each gives a lease of so many back with each beat, 0 for none, and
// wants more or not. It ends before when all have what they can.
func (l *load) measure(what string, giveOf int, wants bool, lasts time.Duration) {
	l.took, l.takes, l.lost, l.failed = nil, 0, 0, 0
	calls, server := l.functionTime()
	postgres, own := cpuOf(l.postmaster()), cpuOfSelf()
	start := time.Now()
	ctx, stop := context.WithTimeout(l.t.Context(), lasts)
	defer stop()
	waits := make(chan map[string]int)
	go func() { waits <- l.lockWaits(ctx) }()
	var all sync.WaitGroup
	for i, s := range l.seats {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), uint64(start.UnixNano())))
			for next := start.Add(rand.N(time.Second)); ; next = later(next.Add(fleet.Every), time.Now()) {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Until(next)):
				}
				l.beat(s, r, giveOf, wants)
				if giveOf == 0 && wants && l.allTaken() {
					stop()
				}
			}
		})
	}
	all.Wait()
	lasted := time.Since(start)
	waited := <-waits
	nowCalls, nowServer := l.functionTime()
	slices.Sort(l.took)
	at := func(p float64) time.Duration {
		return l.took[int(float64(len(l.took)-1)*p)].Round(100 * time.Microsecond)
	}
	l.t.Logf("%s, %d hosts, %v: %.0f beats/s, %d leases taken, %d lost, %d beats without an answer; at the client p50 %v, p99 %v, longest %v; in the server %.2f ms on average; Postgres %.2f cores, hosts %.2f; in samples of 100 ms waiting for locks: %v",
		what, len(l.seats), lasted.Round(time.Second), float64(len(l.took))/lasted.Seconds(), l.takes, l.lost, l.failed, at(.5), at(.99), at(1),
		(nowServer-server)/max(1, nowCalls-calls), (cpuOf(l.postmaster())-postgres)/lasted.Seconds(), (cpuOfSelf()-own)/lasted.Seconds(), waited)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func (l *load) beat(s *seat, r *rand.Rand, giveOf int, wants bool) {
	for _, lease := range s.Held() {
		if giveOf > 0 && r.IntN(giveOf) == 0 {
			s.Give(lease)
		}
	}
	var want []fleet.Want
	for range 8 {
		if more := min(10, loadEach-len(s.Held())); wants && more > 0 {
			want = append(want, fleet.Want{Pool: l.pools[r.IntN(loadEntries)].Name, Most: more, Highest: 1 << 20})
		}
	}
	sent := time.Now()
	b := s.Beat(sent.Sub(l.began), want, fleet.Load{Places: len(s.Held())})
	a, _, err := s.f.Beat(l.t.Context(), s.id, &b)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.took = append(l.took, time.Since(sent)); err != nil {
		s.Failed()
		l.failed++
		return
	}
	c := s.Answered(sent.Sub(l.began), time.Since(l.began), &b, &a)
	l.takes, l.lost = l.takes+len(c.Taken), l.lost+len(c.Lost)
}

func (l *load) allTaken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.takes >= len(l.seats)*loadEach
}

// functionTime is how often fleet_beat has run, and for how many milliseconds.
func (l *load) functionTime() (calls, ms float64) {
	time.Sleep(1500 * time.Millisecond) // sessions tell what they count once a second
	err := l.db.QueryRow(l.t.Context(), "SELECT coalesce(sum(calls), 0), coalesce(sum(total_time), 0) FROM pg_stat_user_functions WHERE funcname LIKE 'fleet_beat%'").Scan(&calls, &ms)
	if err != nil {
		l.t.Fatal(err)
	}
	return calls, ms
}

// lockWaits counts who waits for a lock, by what it is of, ten times a second until ctx ends.
func (l *load) lockWaits(ctx context.Context) map[string]int {
	counted := map[string]int{}
	db, err := pgx.ConnectConfig(l.t.Context(), l.db.Config())
	if err != nil {
		l.t.Error(err)
		return counted
	}
	defer func() { _ = db.Close(context.Background()) }()
	for ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
		counted["samples"]++
		rows, _ := db.Query(l.t.Context(), "SELECT wait_event_type || ' ' || wait_event FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type IN ('Lock', 'LWLock')")
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			l.t.Error(err)
		}
		for _, name := range names {
			counted[name]++
		}
	}
	return counted
}

// postmaster is the process of the server.
func (l *load) postmaster() int {
	_, parent, _ := stat(int(l.db.PgConn().PID()))
	return parent
}

// cpuOf is what a process and its children have used, in seconds.
func cpuOf(process int) (seconds float64) {
	list, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range list {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if used, parent, err := stat(pid); err == nil && (pid == process || parent == process) {
			seconds += used
		}
	}
	return seconds
}

func cpuOfSelf() float64 {
	used, _, _ := stat(os.Getpid())
	return used
}

// stat is what a process has used, and its parent.
func stat(pid int) (seconds float64, parent int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, found := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	if err != nil || !found || len(f) < 13 {
		return 0, 0, errors.Join(err, os.ErrNotExist)
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	parent, err = strconv.Atoi(f[1])
	return (user + system) / 100, parent, err
}
