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
	// beatWithin bounds how long a beat waits for its answer.
	beatWithin = 2 * time.Second
	// beatJitter is added to the time of a beat after an error: hosts do not all come
	// back at once.
	beatJitter = 500 * time.Millisecond
	// leaveWithin bounds how long giving back takes at the end.
	leaveWithin = time.Second
)

// leases is this host among those of its database: it beats, takes what entries and
// accounts need, and says what may be acted on. Its goroutine is that of run; Acting is called
// by many.
type leases struct {
	db     *storage.Fleet
	log    zerolog.Logger
	self   func() storage.FleetHost
	most   int // places of all hosts; 0: no limit
	host   *host.Host
	realms *realm.Realms // nil: none
	clock  func() time.Duration
	edge   *time.Timer // ends the acting when no answer comes

	showing sync.Mutex // one show at a time, which shows the newest state

	mu      sync.Mutex // guards what follows; never held while the database is asked
	machine *fleet.Machine
	session string
	number  int
	before  []string // sessions of processes before this one
	acting  bool
	opening int                  // lobbies that have a place and are not open yet
	beating chan struct{}        // closed when the last beat has ended; nil: none was begun
	awaited map[string]chan post // by what was sent

	pools    map[string]int // that the database knows
	turn     int            // of the accounts
	accounts map[string]realm.AccountName
	downFrom time.Time // when the database went away; zero: it answers

	life     context.Context // of the daemon
	operator func() *control.Operator
	busy     chan struct{} // a place for each post that is carried out, and
	refusing chan struct{} // for each that is refused
}

// openFleet prepares the host's part among several.
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

// drain ends the host after its last game, once that is asked for.
func (d *daemon) drain() {
	select {
	case <-d.ctx.Done():
	case <-d.Drain:
		d.operator.CarryOut(d.ctx, "SIGTERM", "exit nice")
	}
}

// share begins to beat; the function that it returns ends that, when the host has ended.
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

// Acting reports whether this host may act on a lease now.
func (l *leases) Acting(lease fleet.Lease) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.machine.Acting(l.clock(), lease)
}

// suspended reports whether the host has leases that it may not act on, or none because it is
// not in the database.
func (l *leases) suspended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clock() >= l.machine.Until()
}

// run beats until ctx ends. Nothing is acted on any more then, and no account is logged on: the host may take longer to
// end than others wait for it.
func (l *leases) run(ctx context.Context) {
	defer l.rest()
	l.edge = time.AfterFunc(time.Hour, l.show)
	defer l.edge.Stop()
	for ctx.Err() == nil {
		l.show() // the timer of the edge stands still while the machine sleeps
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

// rest ends all acting.
func (l *leases) rest() {
	l.mu.Lock()
	l.machine = fleet.New(0)
	l.mu.Unlock()
	l.showing.Lock()
	defer l.showing.Unlock()
	l.useAccounts(nil)
}

// leave gives everything back at once.
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
		l.log.Warn().Err(err).Msg("cannot give the leases back: other hosts take them after ten seconds")
	}
}

// beat renews the host's session in the database, and takes and gives leases.
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
		l.log.Info().Dur("after", time.Since(l.downFrom)).Msg("the leases are renewed again")
		l.downFrom = time.Time{}
	case err != nil && l.downFrom.IsZero() && !errors.Is(ctx.Err(), context.Canceled):
		l.downFrom = time.Now()
		l.log.Warn().Err(err).Msg("the leases cannot be renewed: without the database for 8 s, lobbies are not shown and take nobody new")
	}
	return err
}

// wants are the leases that the host could use, and how loaded it is.
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
		l.show() // before another host reads of it
	}
	return append(wants, accounts...), load
}

// enter begins a session if there is none, and names pools that the database does not know.
func (l *leases) enter(ctx context.Context, wants []fleet.Want) error {
	var fresh []storage.Pool
	for _, w := range wants {
		if w.Highest > l.pools[w.Pool] {
			fresh = append(fresh, storage.Pool{Name: w.Pool, Leases: w.Highest})
		}
	}
	switch {
	case l.Session() == "":
		for ; len(l.before) > 0; l.before = l.before[1:] { // their leases must not wait until the sessions count as dead
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
		l.log.Info().Int("host", number).Msg("this host is one of the database's")
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

// send does one beat, and carries out the changes of its answer.
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
		l.log.Warn().Int("leases", len(change.Lost)).Msg("this host was taken for dead: other hosts have its leases now")
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

// show has lobbies listed and accounts logged on while the host may act, and not otherwise.
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
			l.log.Warn().Msg("lobbies are not shown, since other hosts may have taken their leases: games and players in lobbies go on")
		}
	}
	l.useAccounts(held)
}
