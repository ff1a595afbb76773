package daemon

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/control"
	"w3host/fleet"
	"w3host/game/autohost"
	"w3host/host"
	"w3host/internal/boottime"
	"w3host/realm"
	"w3host/storage"
)

const (
	// beatWithin is the time limit of a heartbeat.
	beatWithin = 2 * time.Second
	// beatJitter is a random addition to the interval after an error, so that hosts do not all return at the same time.
	beatJitter = 500 * time.Millisecond
	// leaveWithin is the time limit for returning leases at the end.
	leaveWithin = time.Second
)

// leases is this host's membership in the fleet: it sends heartbeats to the database, takes the leases that entries and
// realm accounts need, and tells which of them are valid. Its goroutine is that of run; Acting is called from many.
type leases struct {
	db     *storage.Fleet
	log    zerolog.Logger
	self   func() storage.FleetHost
	most   int // limit of lobbies and games of all hosts; 0 means none
	host   *host.Host
	realms *realm.Realms // nil without realms
	clock  func() time.Duration
	edge   *time.Timer // ends the validity of leases if no answer arrives

	showing sync.Mutex // serializes show, so that the last call applies the newest state

	mu      sync.Mutex // guards the following fields; never held during a database query
	machine *fleet.Machine
	session string
	number  int
	before  []string // sessions of previous processes of this host
	acting  bool
	opening int                  // lobbies that are reserved but not open yet
	beating chan struct{}        // closed when the current heartbeat has ended; nil before the first
	awaited map[string]chan post // pending answers by id of the post

	pools    map[string]int // lease pools known to the database
	turn     int            // whose turn it is among the accounts
	accounts map[string]realm.AccountName
	downFrom time.Time // when the database became unreachable; zero while it answers

	life     context.Context // context of the daemon
	operator func() *control.Operator
	busy     chan struct{} // semaphore of posts being executed
	refusing chan struct{} // semaphore of posts being refused
}

// openFleet prepares the host's membership in a fleet.
func (d *daemon) openFleet() error {
	c := d.Config
	if !c.Fleet.Enabled {
		return nil
	}
	db, err := d.db.Fleet(c.DatabaseURL())
	if err != nil {
		return err
	}
	address := d.listeners.Addr().String()
	d.fleet = &leases{
		db: db, log: d.part("fleet"), most: c.Fleet.MaxGames, clock: boottime.Now,
		machine: fleet.New(rand.Uint64()), pools: map[string]int{}, accounts: map[string]realm.AccountName{},
		awaited: map[string]chan post{}, busy: make(chan struct{}, mostPosts), refusing: make(chan struct{}, mostPosts), operator: func() *control.Operator { return d.operator }, life: d.ctx,
		self: func() storage.FleetHost {
			h := d.recorder.Host()
			return storage.FleetHost{Host: h.ID, Run: h.Run, Name: h.Name, Address: address}
		},
	}
	if left := d.host.Inherited; left != nil {
		d.fleet.before = left.Sessions()
	}
	d.atEnd(db.Close)
	d.host.Leases = d.fleet
	return nil
}

// drain stops the host after its last game when Options.Drain is closed.
func (d *daemon) drain() {
	select {
	case <-d.ctx.Done():
	case <-d.Drain:
		d.operator.CarryOut(d.ctx, "SIGTERM", "exit nice")
	}
}

// share starts the heartbeats. The returned function stops them after the host has ended.
func (d *daemon) share() (end func()) {
	if d.fleet == nil {
		return func() {}
	}
	d.fleet.host, d.fleet.realms = d.running, d.realms
	endRun := d.alongside(d.fleet.run)
	return func() {
		endRun()
		d.fleet.answered()
		d.fleet.leave()
	}
}

// Acting reports whether the lease is currently valid.
func (l *leases) Acting(lease fleet.Lease) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.machine.Acting(l.clock(), lease)
}

// suspended reports whether the host currently has no valid leases, because they expired or it has not joined the fleet.
func (l *leases) suspended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clock() >= l.machine.Until()
}

// run sends heartbeats until ctx ends. Then it gives up all leases and accounts at once, because the host may take
// longer to end than other hosts wait for it.
func (l *leases) run(ctx context.Context) {
	defer l.rest()
	l.edge = time.AfterFunc(time.Hour, l.show)
	defer l.edge.Stop()
	for ctx.Err() == nil {
		l.show() // the timer stands still while the machine is suspended
		sent := l.clock()
		err := l.beat(ctx, sent)
		l.mu.Lock()
		next := l.machine.Next(sent)
		l.mu.Unlock()
		if err != nil {
			next += rand.N(beatJitter)
		}
		select {
		case <-ctx.Done():
		case <-time.After(next - l.clock()):
		}
	}
}

// rest gives up all leases and accounts.
func (l *leases) rest() {
	l.mu.Lock()
	l.machine = fleet.New(0)
	l.mu.Unlock()
	l.showing.Lock()
	defer l.showing.Unlock()
	l.useAccounts(nil)
}

// leave returns all leases in the database at once.
func (l *leases) leave() {
	l.mu.Lock()
	session := l.session
	l.session = ""
	l.mu.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	if err := l.db.Leave(ctx, session); err != nil {
		l.log.Warn().Err(err).Msg("cannot return the leases; other hosts take them after ten seconds")
	}
}

// beat renews the host's session in the database, and takes and returns leases.
func (l *leases) beat(ctx context.Context, sent time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, beatWithin)
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	l.mu.Lock()
	l.beating = ended
	l.mu.Unlock()
	wants, load := l.wants()
	err := l.enter(ctx, wants)
	if err == nil {
		err = l.send(ctx, sent, wants, load)
	}
	switch {
	case err == nil && !l.downFrom.IsZero():
		l.log.Info().Dur("after", time.Since(l.downFrom)).Msg("leases are being renewed again")
		l.downFrom = time.Time{}
	case err != nil && l.downFrom.IsZero() && !errors.Is(ctx.Err(), context.Canceled):
		l.downFrom = time.Now()
		l.log.Warn().Err(err).Msg("cannot renew the leases; after 8 s without the database, lobbies are hidden and accept no new players")
	}
	return err
}

// wants returns the leases that the host could use, and its load.
func (l *leases) wants() (wants []fleet.Want, load fleet.Load) {
	var gives []fleet.Lease
	load = fleet.Load{Draining: l.host.Draining(), Most: l.most}
	l.host.Keep(func(k *autohost.Keeper) {
		gives, wants, load.Places = k.Gives(time.Now()), k.Wants(time.Now()), k.Places()
	})
	infos := l.host.Infos()
	listed := slices.ContainsFunc(infos, func(i host.Info) bool { return !i.Playing && i.Public && !i.Closed })
	l.mu.Lock()
	load.Places += l.opening
	for _, lease := range gives {
		l.machine.Give(lease)
	}
	accounts, gave := l.wantAccounts(load.Draining, listed)
	l.mu.Unlock()
	if gave {
		l.show() // before another host can take them
	}
	return append(wants, accounts...), load
}

// enter starts a session if there is none, and registers pools that the database does not know.
func (l *leases) enter(ctx context.Context, wants []fleet.Want) error {
	var fresh []storage.Pool
	for _, w := range wants {
		if w.Highest > l.pools[w.Pool] {
			fresh = append(fresh, storage.Pool{Name: w.Pool, Leases: w.Highest})
		}
	}
	switch {
	case l.Session() == "":
		for ; len(l.before) > 0; l.before = l.before[1:] { // free their leases now instead of waiting until the sessions count as dead
			if err := l.db.Leave(ctx, l.before[0]); err != nil {
				return err
			}
		}
		h := l.self()
		h.Session = storage.NewGameKey().String()
		number, err := l.db.Enter(ctx, h, fresh)
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.session, l.number = h.Session, number
		l.mu.Unlock()
		l.log.Info().Int("host", number).Msg("this host has joined the fleet")
	case len(fresh) > 0:
		if err := l.db.Define(ctx, fresh); err != nil {
			return err
		}
	}
	for _, p := range fresh {
		l.pools[p.Name] = p.Leases
	}
	return nil
}

// send performs one heartbeat and applies the changes in its answer.
func (l *leases) send(ctx context.Context, sent time.Duration, wants []fleet.Want, load fleet.Load) error {
	l.mu.Lock()
	session := l.session
	b := l.machine.Beat(sent, wants, load)
	l.mu.Unlock()
	answer, posts, err := l.db.Beat(ctx, session, &b)
	l.mu.Lock()
	if err != nil {
		l.machine.Failed()
		l.mu.Unlock()
		return err
	}
	change := l.machine.Answered(sent, l.clock(), &b, &answer)
	if answer.Buried {
		l.session = ""
	}
	l.edge.Reset(max(l.machine.Until()-l.clock(), 0))
	l.mu.Unlock()
	if answer.Buried {
		l.log.Warn().Int("leases", len(change.Lost)).Msg("this host was considered dead; other hosts now have its leases")
	}
	for _, lease := range change.Lost {
		if _, ok := l.accounts[lease.Pool]; !ok {
			l.host.Lose(lease)
		}
	}
	for _, lease := range change.Taken {
		if _, ok := l.accounts[lease.Pool]; !ok {
			l.host.Keep(func(k *autohost.Keeper) { k.Grant(lease) })
		}
	}
	l.show()
	for _, p := range posts {
		l.read(p)
	}
	return nil
}

// show lists lobbies and uses accounts while the host's leases are valid, and hides them otherwise.
func (l *leases) show() {
	l.showing.Lock()
	defer l.showing.Unlock()
	l.mu.Lock()
	now := l.clock()
	changed := l.acting != (now < l.machine.Until())
	l.acting = now < l.machine.Until()
	var held []realm.AccountName
	for pool, a := range l.accounts {
		if l.machine.Acting(now, l.machine.Held()[pool+"/1"]) {
			held = append(held, a)
		}
	}
	acting := l.acting
	l.mu.Unlock()
	if changed {
		l.host.Show()
		if !acting {
			l.log.Warn().Msg("lobbies are hidden, since other hosts may have taken their leases; running games and players in lobbies are not affected")
		}
	}
	l.useAccounts(held)
}
