package daemon

import (
	"context"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"w3host/control"
	"w3host/fleet"
	"w3host/host"
	"w3host/host/takeover"
	"w3host/internal/boottime"
	"w3host/internal/realmtest"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/realm"
	"w3host/realm/bncs"
	"w3host/realm/session"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// The sidecar is not told of an end if another process goes on with the games.
func TestAgonesAtUpgrade(t *testing.T) {
	for handing, want := range map[bool][]string{true: nil, false: {"/shutdown"}} {
		var s sidecar
		server := httptest.NewServer(&s)
		t.Setenv("AGONES_SDK_HTTP_PORT", server.URL[len("http://127.0.0.1:"):])
		d := &daemon{ctx: t.Context()} // whose loop does not move
		d.pulse.asked.Store(1)
		d.Config.Fleet.Agones = true
		end := d.reportToAgones()
		d.handing.Store(handing)
		end()
		server.Close()
		if got := s.heard(); !slices.Equal(got, want) {
			t.Errorf("handing over %v: the sidecar hears %q", handing, got)
		}
	}
}

// idleHost has no lobby, and none is wanted.
func idleHost(t *testing.T) *host.Host {
	t.Helper()
	listeners, err := takeover.Listen(nil, "127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(listeners.Close)
	h, err := host.New(host.Options{Listeners: listeners, Product: w3gs.ProductTFT, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// fleetDB opens a fresh database for the hosts of a fleet.
func fleetDB(t *testing.T) (db *storage.Fleet, url string) {
	t.Helper()
	url = storagetest.Postgres(t)
	db, err := storagetest.Open(t, url).Fleet(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db, url
}

// A machine that wakes has no lease to act on, whatever its timers have counted: that shows before
// the next beat, which may wait for its answer.
func TestNothingIsShownAfterSleep(t *testing.T) {
	t.Parallel()
	db, url := fleetDB(t)
	session := storage.NewGameKey().String()
	if _, err := db.Enter(t.Context(), storage.FleetHost{Session: session, Host: session, Run: session}, nil); err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(t.Context(), url)
	if err == nil {
		defer func() { _ = other.Close(context.Background()) }()
		_, err = other.Exec(t.Context(), "BEGIN; LOCK TABLE fleet_clock") // it answers nobody
	}
	if err != nil {
		t.Fatal(err)
	}
	var now atomic.Int64
	l := &leases{
		db: db, log: zerolog.Nop(), host: idleHost(t), machine: fleet.New(1), session: session,
		clock: func() time.Duration { return time.Duration(now.Load()) }, acting: true,
	}
	b := l.machine.Beat(0, nil, fleet.Load{})
	l.machine.Answered(0, 0, &b, &fleet.Answer{Tick: 1})
	now.Store(int64(time.Hour)) // the machine has slept
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.run(ctx) })
	testkit.Eventually(t, "a beat is under way", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.beating != nil
	})
	l.mu.Lock()
	if l.acting {
		t.Error("lobbies are shown")
	}
	l.mu.Unlock()
	stop()
	running.Wait()
}

// posting is a host that is told lines, none of which its operator ever carries out, a session
// that tells it some, and another connection to the database.
func posting(t *testing.T) (l *leases, session string, connection *pgx.Conn) {
	t.Helper()
	db, url := fleetDB(t)
	session = storage.NewGameKey().String()
	other := storage.FleetHost{Session: session, Host: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}
	if _, err := db.Enter(t.Context(), other, nil); err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(context.Background()) })
	hanging := control.New(control.Options{})
	return &leases{
		db: db, log: zerolog.Nop(), life: t.Context(), operator: func() *control.Operator { return hanging }, awaited: map[string]chan post{},
		busy: make(chan struct{}, mostPosts), refusing: make(chan struct{}, mostPosts), number: 2,
	}, session, connection
}

// told is a line for the host of a test.
func told(session string) storage.Post {
	return storage.Post{ID: storage.NewGameKey().String(), Body: `{"asks":"` + session + `","caller":{"Name":"Ann"},"line":"games"}`}
}

func count(t *testing.T, db *pgx.Conn, refused string) (n int) {
	t.Helper()
	if err := db.QueryRow(t.Context(), "SELECT count(*) FROM fleet_posts WHERE body LIKE '%' || $1 || '%'", refused).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// However many lines of other hosts come while the database takes nothing, the beat goes on, and so many answers wait and no
// more.
func TestPostsDoNotHoldTheBeat(t *testing.T) {
	t.Parallel()
	l, session, other := posting(t)
	tx, err := other.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), "LOCK TABLE fleet_posts")
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 10 * mostPosts { // a read that waited for the database would outlast the answers of the others, which then are missing below
		l.read(told(session))
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "some are refused", func() bool { return count(t, other, "too many commands") == mostPosts })
}

// A line that is not carried out in time has an answer all the same, which has time of its own.
func TestLateLineIsAnswered(t *testing.T) {
	t.Parallel()
	l, session, other := posting(t)
	l.read(told(session))
	testkit.Eventually(t, "the answer", func() bool { return count(t, other, "host 2 has not answered") == 1 })
}

// A beat under way may take a place back that is kept meanwhile: it says how many lobbies there were when it began. So it is
// waited for. While the database is away nobody waits.
func TestPlaceWaitsForTheBeat(t *testing.T) {
	t.Parallel()
	db, _ := fleetDB(t)
	self := storage.FleetHost{Session: storage.NewGameKey().String(), Host: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}
	if _, err := db.Enter(t.Context(), self, nil); err != nil {
		t.Fatal(err)
	}
	var now atomic.Int64
	l := &leases{
		db: db, log: zerolog.Nop(), host: idleHost(t), machine: fleet.New(1), session: self.Session, most: 5, pools: map[string]int{},
		clock: func() time.Duration { return time.Duration(now.Load()) }, edge: time.AfterFunc(time.Hour, func() {}),
	}
	if err := l.beat(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	places := func() int {
		hosts, err := db.Hosts(t.Context())
		if err != nil || len(hosts) != 1 {
			t.Fatal(hosts, err)
		}
		return hosts[0].Places
	}
	opened, err := l.Place(t.Context())
	if err != nil || places() != 1 {
		t.Fatalf("after a beat: %v, %d places", err, places())
	}
	opened()
	l.mu.Lock()
	under := make(chan struct{}) // a beat that has counted and is not answered
	l.beating = under
	l.mu.Unlock()
	kept := make(chan error)
	go func() {
		_, err := l.Place(t.Context())
		kept <- err
	}()
	select {
	case <-kept:
		t.Error("a place beside a beat that does not count it")
	case <-time.After(50 * time.Millisecond):
	}
	close(under)
	if err := <-kept; err != nil || places() != 2 {
		t.Errorf("after it: %v, %d places", err, places())
	}
	now.Store(int64(time.Hour)) // no beat has had an answer for long
	l.beating = make(chan struct{})
	if _, err := l.Place(t.Context()); err == nil {
		t.Error("a place, though the database does not answer")
	}
}

// A host that ends logs off at once: to end may take longer than others wait for its account.
func TestLogsOffBeforeTheEnd(t *testing.T) {
	t.Parallel()
	server := realmtest.Start(t)
	v, _ := bncs.VersionOf(26)
	realms, err := realm.Start(realm.Options{
		Accounts: []realm.Account{{Realm: "Home", Address: server.Addr(), Session: session.Config{
			Account: "Bot", Password: "secret", Create: true, Product: w3gs.ProductTFT, Version: v, Language: "enUS", Port: 6112, Games: 1,
		}}},
		Log: zerolog.Nop(), Barred: true, Heard: func(realm.Speech) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(realms.Shutdown)
	db, _ := fleetDB(t)
	l := &leases{
		db: db, log: zerolog.Nop(), host: idleHost(t), realms: realms, clock: boottime.Now, machine: fleet.New(1),
		pools: map[string]int{}, accounts: map[string]realm.AccountName{},
		self: func() storage.FleetHost {
			return storage.FleetHost{Host: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}
		},
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.run(ctx) })
	online := func() bool { return realms.Online()["Home"] }
	testkit.Eventually(t, "logged on", online)
	stop()
	running.Wait()
	testkit.Eventually(t, "logged off", func() bool { return !online() })
	l.leave()
	if hosts, err := db.Hosts(t.Context()); err != nil || len(hosts) != 0 {
		t.Errorf("after it has left: %v, %v", hosts, err)
	}
}
