// Package takeover brings the lobbies and games of other processes into this one. A crash, a standby and an upgrade
// are the same to it: a replica re-executes the journal of a game until it has caught up, the game is claimed
// by the lock on its memory, and the host adopts it. The states of a game are those of State; Takeover drives
// each game through them. The package plays no game and touches no socket: its Host does.
//
// The kernel frees the lock on a game's memory when its owner dies, by SIGKILL too. The supervisor (package hold) keeps
// the memory and the sockets, and starts another process or tells a ready one to go on. So a game that its owner has
// released to a process that dies is claimed by the next one. Clients receive no turns until then.
package takeover

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"w3host/game"
	"w3host/host/survive"
)

const (
	// rebuildGC is the percentage of garbage while games are rebuilt: nearly all the memory allocated then is kept.
	rebuildGC = 400
	// followEvery is how often a game is looked at that its owner was asked to release, and stayEvery how often
	// one that stays with its owner.
	followEvery = time.Millisecond
	stayEvery   = time.Second
	// releaseWithin is how long an owner takes at most to free the lock of a game, between two turns, after it has
	// accepted the request.
	releaseWithin = time.Second
	// gamesAtOnce is how many games are looked at so often; more are looked at less often.
	gamesAtOnce = 16
)

// Host adopts games. Its methods may be called from several goroutines.
type Host interface {
	// Call runs f on the host's loop, to which the supervisor belongs, and waits for it. False: the loop has ended.
	Call(f func()) bool
	// Guard makes an error of a panic in do, and saves a report.
	Guard(id uint32, do func() error) error
	// Adopt has the loop play a claimed game, or only takes note of it if it is over or cannot be rebuilt. It returns
	// nil if the loop has ended.
	Adopt(c *Claim) Audience
	// List shows a game that stays with its owner as facts knows it; nil: shows it no more.
	List(g *Game, facts Observer)
	// Stays has another lobby opened in the place of one that stays with its owner, and Ended forgets a game.
	Stays(id uint32)
	Ended(id uint32)
	// AwaitJournal waits, for a bounded time, until there is room for so many bytes of a journal's file.
	AwaitJournal(bytes int)
}

// Audience is the observers of a claimed game, which see it from its first fact on.
type Audience interface {
	// Len is their number. Each has the same place in every process.
	Len() int
	// Observe shows a fact to one of them. An observer that panics gets nothing more.
	Observe(observer int, f *game.Stamped)
	// Live attaches the observers to the running game, or closes them with a game that is over or cannot be rebuilt.
	// It is called on the loop, or after the loop has ended.
	Live(c *Claim)
}

// Claim is a game that this process has claimed.
type Claim struct {
	*Game
	*survive.Revived          // nil: it cannot be rebuilt
	Facts            Observer // what lists show of it
	Err              error    // why it cannot be rebuilt, or why its observers cannot see it; nil: neither
	Written          []byte   // its journal without notes, when its observers have caught up
	Whole            bool     // no entry of it was left out
	known            uint64   // the last fact that the process before has seen
}

// Takeover drives the games of an Inheritance through their states.
type Takeover struct {
	in   *Inheritance
	host Host

	ctx     context.Context // ends with Stop
	stop    func()
	handing atomic.Bool // another process claims what this one leaves
	workers chan struct{}
	moving  sync.WaitGroup // games that have owners
	others  atomic.Int32   // of them, those that are still to be moved
	showing sync.WaitGroup // games that observers catch up with
	turn    chan struct{}  // held while one of them does
	silent  atomic.Bool    // observers are shown nothing more

	mu      sync.Mutex
	staying map[uint32]*Game
}

// New prepares a takeover of what is left.
func New(in *Inheritance, host Host) *Takeover {
	in.guard = host.Guard
	t := &Takeover{in: in, host: host, turn: make(chan struct{}, 1), staying: map[uint32]*Game{}, workers: make(chan struct{}, runtime.GOMAXPROCS(0))}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Run brings all games without an owner into the host, the shortest first, and returns then. Those that another process
// owns follow; settled is called on the loop when the last of them is here, is over, or stays with its owner.
func (t *Takeover) Run(settled func()) {
	began, percent := time.Now(), debug.SetGCPercent(rebuildGC)
	if percent < 0 || percent > rebuildGC { // as the operator wants it
		debug.SetGCPercent(percent)
	}
	defer debug.SetGCPercent(percent)
	release := t.hold() // observers have time until all are played
	defer release()
	var all sync.WaitGroup
	var alone, owned []*Game // alone, so that only one can be to blame if this process dies, too
	rebuilt := 0
	for _, g := range slices.Clone(t.in.games) {
		switch {
		case g.state != Claimed && !g.claim():
			owned = append(owned, g)
			continue
		case g.state != Claimed: // it has ended a moment ago
			t.forget(g)
			continue
		case g.Left.Tried():
			alone = append(alone, g)
		default:
			t.workers <- struct{}{} // here, so that games are rebuilt in their order
			all.Go(func() {
				defer func() { <-t.workers }()
				t.rebuild(g)
			})
		}
		rebuilt++
	}
	all.Wait()
	for _, g := range alone {
		t.rebuild(g)
	}
	release()
	if rebuilt > 0 {
		t.in.log.Info().Int("games", rebuilt).Dur("took", time.Since(began)).Msg("games taken over from the process before")
	}
	t.others.Store(int32(len(owned)))
	t.moving.Go(func() { t.followAll(owned, settled) }) // ends when they are here or are over, or this host stops
}

// followAll follows all games that other processes own, each on a goroutine of its own, until each is in the host, over or left to
// others. It calls settled once each of them is that, or stays with its owner.
func (t *Takeover) followAll(owned []*Game, settled func()) {
	var unsettled, all sync.WaitGroup
	unsettled.Add(len(owned))
	for _, g := range owned {
		all.Go(func() {
			t.follow(g, sync.OnceFunc(func() { t.others.Add(-1); unsettled.Done() }))
		})
	}
	unsettled.Wait()
	t.host.Call(settled)
	all.Wait()
	t.host.Call(t.in.dropBuffers)
}

// follow brings a game that another process owns into the host. It returns when the game is here, is over, or is left to others,
// and calls settled as soon as that is so or the game stays with its owner.
func (t *Takeover) follow(g *Game, settled func()) {
	defer settled()
	stays := sync.OnceFunc(func() {
		g.Left.Withdraw() // it was not accepted, because the owner's journal has grown beyond the verified length
		g.Left.Verdict(true)
		t.in.log.Warn().Err(g.differs).Uint32("game", g.ID).Msg("a game stays in the process before until its end")
		t.host.Stays(g.ID)
		settled()
	})
	for pause := apart(g); ; {
		select {
		case <-time.After(pause):
		case <-t.ctx.Done():
		}
		t.work(func() { pause = t.step(g) })
		switch g.state {
		case Claimed:
			t.work(func() { t.rebuild(g) })
			return
		case Ended, Abandoned:
			t.forget(g)
			return
		case Forgotten:
			return
		case Staying:
			stays()
		}
	}
}

// apart keeps games from being looked at in the same instant.
func apart(g *Game) time.Duration { return time.Duration(g.ID%1000) * time.Microsecond }

// step looks once at a game that another process owns, and returns the pause before the next look.
func (t *Takeover) step(g *Game) time.Duration {
	switch {
	case t.ctx.Err() != nil:
		t.leave(g)
		return 0
	case t.claim(g):
		return 0
	case g.state == Staying:
		t.list(g)
		return stayEvery
	}
	if t.in.move(g) == Verified {
		g.Left.Request(len(g.replica.Journal))
		g.state.To(Asked)
	}
	return followEvery*time.Duration(1+t.others.Load()/gamesAtOnce) + apart(g)
}

// claim claims a game whose lock is free; false: another process owns it.
func (t *Takeover) claim(g *Game) (mine bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	stayed := g.state == Staying
	if mine = g.claim(); mine && stayed {
		delete(t.staying, g.ID)
		t.host.List(g, nil)
		g.replica = nil
	}
	return mine
}

// list shows a game that stays, as the replica knows it. If the rules here do not bear its journal, the last state stays.
func (t *Takeover) list(g *Game) {
	if g.replica == nil {
		g.replica = t.in.newReplica(g)
	}
	if !g.failed {
		g.failed = t.in.guarded(g.ID, func() error { return g.replica.advance(t.in, g) }) != nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.staying[g.ID] = g
	t.host.List(g, g.replica.Facts)
}

// End orders the owner of a game that stays to end it; false: no such game stays.
func (t *Takeover) End(id uint32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.staying[id]
	if g != nil {
		g.Left.OrderEnd()
	}
	return g != nil
}

// leave settles a game that another process owns when this host stops: it withdraws the request. If
// nobody owns the game any more by then, only this host can end it, unless another process takes over from this
// one, which claims it then.
func (t *Takeover) leave(g *Game) {
	kept := g.Left.Withdraw()
	for began := time.Now(); !t.handing.Load(); time.Sleep(followEvery) {
		if t.claim(g) {
			return
		}
		if kept || time.Since(began) > releaseWithin {
			break
		}
	}
	g.state.To(Stopped)
	t.host.List(g, nil)
}

// forget ends everything held of a game that has ended in its owner.
func (t *Takeover) forget(g *Game) {
	t.host.Call(func() { t.in.discard(g) })
	t.host.Ended(g.ID)
}

// rebuild has the host adopt a game that was claimed. One that cannot be rebuilt ends.
func (t *Takeover) rebuild(g *Game) {
	c := &Claim{Game: g}
	switch c.Err = t.finish(c); {
	case c.Err == nil:
		g.state.To(Adopted)
	case errors.Is(c.Err, survive.ErrOver):
		g.state.To(Over)
		c.Err, c.Revived = nil, nil
	default:
		g.state.To(Lost)
		c.Revived = nil
	}
	if a := t.host.Adopt(c); a != nil {
		t.showing.Go(func() { t.show(c, a) }) // ends when they have caught up
	}
}

// finish makes the machine of a claimed game, from its replica if that can go on.
func (t *Takeover) finish(c *Claim) (err error) {
	if err = c.fault; err != nil {
		return err
	}
	replicas := []*replica{t.in.newReplica(c.Game)}
	if r := c.replica; r != nil && r.Rerun != nil && !r.Stale() {
		replicas = []*replica{r, replicas[0]}
	}
	for _, r := range replicas {
		if c.Revived, err = r.finish(t.in, c.Game); err == nil || errors.Is(err, survive.ErrOver) {
			c.Facts, c.known = r.Facts, r.known
			return err
		}
	}
	return err
}

// Stop has no more games requested or claimed, except those that only this host can end. handing: another process takes over
// from this one. Wait waits for the rest.
func (t *Takeover) Stop(handing bool) {
	if handing {
		t.handing.Store(true)
	}
	t.stop()
}

// Wait waits until all games are the host's, are over, or are left to others.
func (t *Takeover) Wait() { t.moving.Wait() }

// hold waits until no observers are catching up, and lets none start until release is called.
func (t *Takeover) hold() (release func()) {
	t.turn <- struct{}{}
	return sync.OnceFunc(func() { <-t.turn })
}

// work calls do while one of the workers is free.
func (t *Takeover) work(do func()) {
	t.workers <- struct{}{}
	defer func() { <-t.workers }()
	do()
}
