package storage_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"w3host/fleet"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// seat is a host with a session, for tests.
type seat struct {
	*fleet.Machine
	t   *testing.T
	f   *storage.Fleet
	id  string
	now time.Duration
}

// beatTime is more than the second for which a host must have known a tick.
const beatTime = 2 * time.Second

func openFleet(t *testing.T, url string) *storage.Fleet {
	t.Helper()
	f, err := storagetest.Open(t, url).Fleet(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func settle(t *testing.T, f *storage.Fleet, pools ...storage.Pool) (*seat, int) {
	t.Helper()
	s := &seat{Machine: fleet.New(1), t: t, f: f, id: storage.NewGameKey().String()}
	n, err := f.Enter(t.Context(), storage.FleetHost{Session: s.id, Host: storage.NewGameKey().String(), Run: storage.NewGameKey().String(), Name: "host", Address: "10.0.0.1:6112"}, pools)
	if err != nil {
		t.Fatal(err)
	}
	return s, n
}

// beat sends one, a second after the last.
func (s *seat) beat(load fleet.Load, wants ...fleet.Want) (fleet.Change, fleet.Answer, []storage.Post) {
	s.t.Helper()
	s.now += beatTime
	b := s.Beat(s.now, wants, load)
	a, posts, err := s.f.Beat(s.t.Context(), s.id, &b)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.Answered(s.now, s.now, &b, &a), a, posts
}

// A host alone needs no right to read the write-ahead log. A fleet says that it does, and lives with the right.
func TestManagedPostgres(t *testing.T) {
	t.Parallel()
	url, grant := storagetest.Managed(t)
	db := storagetest.Open(t, url)
	play := ratedGame(1, "DotA v6.83", [2]string{"Ann", "Bob"}, [2]string{"won", "lost"})
	applyAs(t, db, hostA, runA1, 1, play...)
	if n, err := db.RateGames(t.Context()); n != 1 || err != nil {
		t.Errorf("%d games are rated: %v", n, err)
	}
	f, err := db.Fleet(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	_, err = f.Enter(t.Context(), storage.FleetHost{Session: storage.NewGameKey().String(), Host: hostA, Run: runA1, Name: "host"}, nil)
	if !errors.Is(err, storage.ErrNoTimeline) || !errors.Is(err, storage.ErrUnusable) || !strings.Contains(err.Error(), "GRANT EXECUTE ON FUNCTION pg_walfile_name") {
		t.Errorf("without the right: %v", err)
	}
	grant()
	s, _ := settle(t, f)
	for range 3 { // a timeline that was unknown is no failover: nothing is held back
		if _, a, _ := s.beat(fleet.Load{}); a.Hold != 0 || a.Tick >= 2000 {
			t.Fatalf("with the right: %+v", a)
		}
	}
}

// A database that an earlier program has made asks for the timeline in a default, too, until it is migrated.
func TestTimelineHasNoDefault(t *testing.T) {
	t.Parallel()
	url := storagetest.Postgres(t)
	db := storagetest.Open(t, url)
	for {
		m, err := db.MigrateDown(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(m.Name, "fleet_timeline") {
			break
		}
	}
	raw(t, url, "ALTER TABLE fleet_clock ALTER COLUMN timeline SET DEFAULT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)")
	if err := db.MigrateUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := raw(t, url, "SELECT count(*) FROM information_schema.columns WHERE table_name = 'fleet_clock' AND table_schema = current_schema() AND column_default LIKE '%wal%'"); n != 0 {
		t.Error("the default still calls a function")
	}
}

// A lease has one holder: it is taken, given back, and taken by another with the next term and
// the next number; a host that dies loses it after eleven ticks.
func TestFleetLeases(t *testing.T) {
	t.Parallel()
	url := storagetest.Postgres(t)
	f := openFleet(t, url)
	pool := storage.Pool{Name: "entry/dota", Leases: 2}
	a, n := settle(t, f, pool)
	b, m := settle(t, f, pool)
	if n != 1 || m != 2 {
		t.Errorf("numbers %d, %d", n, m)
	}
	want := fleet.Want{Pool: "entry/dota", Most: 2, Highest: 2}
	a.beat(fleet.Load{})
	b.beat(fleet.Load{}) // the tick is pushed: two hosts live
	got, _, _ := a.beat(fleet.Load{}, want)
	if len(got.Taken) != 1 {
		t.Fatalf("the share of one of two hosts: %v", got.Taken)
	}
	if got, _, _ := b.beat(fleet.Load{}, want); len(got.Taken) != 1 {
		t.Fatalf("the other's: %v", got.Taken)
	}
	first := got.Taken[0]
	if got, _, _ := b.beat(fleet.Load{}, want); len(got.Taken) != 0 {
		t.Errorf("taken though nothing is free: %v", got.Taken)
	}
	a.Give(first)
	a.beat(fleet.Load{Draining: true})
	got, _, _ = b.beat(fleet.Load{Places: 1}, fleet.Want{Pool: "entry/dota", Most: 1, Held: 1, Highest: 2})
	if len(got.Taken) != 1 || got.Taken[0].Name != first.Name || got.Taken[0].Term != first.Term+1 || got.Taken[0].Number != 3 {
		t.Fatalf("after %v: %v", first, got.Taken)
	}
	c, _ := settle(t, f)
	for range 11 {
		if got, _, _ := c.beat(fleet.Load{}, want); len(got.Taken) != 0 {
			t.Fatalf("taken from a host that may live: %v", got.Taken)
		}
	}
	taken := 0
	for range 5 {
		got, _, _ := c.beat(fleet.Load{}, want)
		taken += len(got.Taken)
	}
	if taken != 2 {
		t.Errorf("%d leases of a dead host are taken", taken)
	}
	if got, answer, _ := b.beat(fleet.Load{}); !answer.Buried || len(got.Lost) != 2 {
		t.Errorf("the dead host: %+v, lost %v", answer, got.Lost)
	}
}

// A busy host takes what a dead one had, a tick after its burial, when those that are less busy do not: they may be cut
// from the database, and count as living for as long.
func TestFleetBusyHostFollows(t *testing.T) {
	t.Parallel()
	f := openFleet(t, storagetest.Postgres(t))
	pool, want := storage.Pool{Name: "entry/dota", Leases: 1}, fleet.Want{Pool: "entry/dota", Most: 1, Highest: 1}
	busy, _ := settle(t, f, pool)
	dead, _ := settle(t, f)
	cut, _ := settle(t, f)
	cut.beat(fleet.Load{})
	busy.beat(fleet.Load{Places: 10})
	if c, _, _ := dead.beat(fleet.Load{}, want); len(c.Taken) != 1 {
		t.Fatalf("nothing is taken: %+v", c)
	}
	_, last, _ := dead.beat(fleet.Load{Places: 1})
	for range 4 {
		cut.beat(fleet.Load{})
	}
	for range 30 {
		if c, answer, _ := busy.beat(fleet.Load{Places: 10}, want); len(c.Taken) == 1 {
			if ticks := answer.Tick - last.Tick; ticks > 13 {
				t.Errorf("taken after %d ticks", ticks)
			}
			return
		}
	}
	t.Error("never taken")
}

// Whatever many hosts do at once, a lease has one holder, and what the database says of all
// leases is what their holders know.
func TestFleetTogether(t *testing.T) {
	t.Parallel()
	url := storagetest.Postgres(t)
	const hosts, leases = 12, 20
	var all []*seat
	for range hosts {
		s, _ := settle(t, openFleet(t, url), storage.Pool{Name: "entry/a", Leases: leases})
		all = append(all, s)
	}
	holder := map[string]fleet.Lease{}
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 40 {
		type result struct {
			fleet.Change
			of *seat
		}
		results := make(chan result)
		for _, s := range all {
			for name, l := range s.Held() {
				if r.IntN(3) == 0 {
					delete(holder, name)
					s.Give(l)
				}
			}
			go func() {
				c, _, _ := s.beat(fleet.Load{Places: len(s.Held())}, fleet.Want{Pool: "entry/a", Most: 5, Held: len(s.Held()), Highest: leases})
				results <- result{c, s}
			}()
		}
		for range all {
			for _, l := range (<-results).Taken {
				if old, held := holder[l.Name]; held {
					t.Fatalf("round %d: %v is taken though %v is held", round, l, old)
				}
				holder[l.Name] = l
			}
		}
	}
	for _, s := range all {
		s.Failed()
		if c, _, _ := s.beat(fleet.Load{}); len(c.Taken)+len(c.Lost) != 0 {
			t.Errorf("the database has another list: %+v", c)
		}
	}
	if len(holder) == 0 {
		t.Error("nothing was taken")
	}
}

// The limit of places holds over all hosts, however many take at once.
func TestFleetMost(t *testing.T) {
	t.Parallel()
	url := storagetest.Postgres(t)
	const hosts, most = 8, 5
	taken := make(chan int)
	for range hosts {
		s, _ := settle(t, openFleet(t, url), storage.Pool{Name: "entry/a", Leases: 40})
		go func() {
			n := 0
			for range 30 {
				s.now = -beatTime // time stands still, or those who are done would be taken for dead
				c, _, _ := s.beat(fleet.Load{Places: n, Most: most}, fleet.Want{Pool: "entry/a", Most: 3, Held: n, Highest: 40})
				n += len(c.Taken)
			}
			taken <- n
		}()
	}
	sum := 0
	for range hosts {
		sum += <-taken
	}
	if sum != most {
		t.Errorf("%d places, at most %d", sum, most)
	}
}

// Lobbies that no lease is for have places by the same limit, whoever asks at once.
func TestFleetPlaces(t *testing.T) {
	t.Parallel()
	url := storagetest.Postgres(t)
	const hosts, most = 6, 4
	got := make(chan bool)
	for range hosts {
		s, _ := settle(t, openFleet(t, url), storage.Pool{Name: "entry/a", Leases: 1})
		s.now = -beatTime // time stands still, or the others would be taken for dead
		s.beat(fleet.Load{})
		go func() {
			for range 3 {
				ok, err := s.f.Place(t.Context(), s.id, most)
				if err != nil {
					t.Error(err)
				}
				got <- ok
			}
		}()
	}
	places := 0
	for range 3 * hosts {
		if <-got {
			places++
		}
	}
	if places != most {
		t.Errorf("%d places, at most %d", places, most)
	}
	s, _ := settle(t, openFleet(t, url))
	if c, _, _ := s.beat(fleet.Load{Most: most}, fleet.Want{Pool: "entry/a", Most: 1, Highest: 1}); len(c.Taken) != 0 {
		t.Errorf("taken though there is no room: %v", c.Taken)
	}
	if ok, err := s.f.Place(t.Context(), storage.NewGameKey().String(), most+1); ok || err != nil {
		t.Errorf("a host that does not live: %v, %v", ok, err)
	}
}

// A post is read once, and only by who lives.
func TestFleetPosts(t *testing.T) {
	t.Parallel()
	url := storagetest.Postgres(t)
	f := openFleet(t, url)
	a, _ := settle(t, f)
	b, _ := settle(t, f)
	post := storage.Post{ID: storage.NewGameKey().String(), Body: `{"line":"kick bob"}`}
	if err := f.Send(t.Context(), b.id, post); err != nil {
		t.Fatal(err)
	}
	if _, _, posts := a.beat(fleet.Load{}); len(posts) != 0 {
		t.Errorf("another's: %v", posts)
	}
	if _, _, posts := b.beat(fleet.Load{}); fmt.Sprint(posts) != fmt.Sprint([]storage.Post{post}) {
		t.Errorf("%v", posts)
	}
	if _, _, posts := b.beat(fleet.Load{}); len(posts) != 0 {
		t.Errorf("again: %v", posts)
	}
	if err := f.Leave(t.Context(), b.id); err != nil {
		t.Fatal(err)
	}
	if err := f.Send(t.Context(), b.id, post); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("to who has left: %v", err)
	}
}

// A failover to a copy that lags is seen by the timeline: nothing is taken for ten ticks.
func TestFleetFailover(t *testing.T) {
	t.Parallel()
	url := storagetest.Postgres(t)
	f := openFleet(t, url)
	a, _ := settle(t, f, storage.Pool{Name: "entry/a", Leases: 1})
	_, before, _ := a.beat(fleet.Load{})
	raw(t, url, "UPDATE fleet_clock SET timeline = 'another'")
	want := fleet.Want{Pool: "entry/a", Most: 1, Highest: 1}
	for i := 0; ; i++ {
		c, answer, _ := a.beat(fleet.Load{}, want)
		if answer.Tick < before.Tick+1000 {
			t.Fatalf("tick %d after %d", answer.Tick, before.Tick)
		}
		if len(c.Taken) == 1 {
			if i < 10 {
				t.Errorf("taken with beat %d", i)
			}
			return
		}
		if i == 20 {
			t.Fatalf("not taken: %+v", answer)
		}
	}
}

func TestNoFleetOnSQLite(t *testing.T) {
	url := storagetest.SQLite(t)
	if _, err := storagetest.Open(t, url).Fleet(url); !errors.Is(err, storage.ErrNoFleet) {
		t.Error(err)
	}
}
