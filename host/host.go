// Package host is where the pure rooms meet the world: it listens, gives each
// connection to its game, and carries inputs and orders between sockets and the
// machines that know the rules. It holds no rule itself.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/host/gamelist"
	"w3host/host/loop"
	"w3host/host/takeover"
	"w3host/internal/background"
)

// Host takes joins on one TCP port for every lobby and game.
type Host struct {
	*registry
	shard   *shard
	running []*Game // in the order in which they began; belongs to the loop's goroutine

	// Guarded by registry.mu:
	games    map[uint32]*Game // lobbies and running games by id
	lastID   uint32           // that was given to a lobby
	opened   uint32           // the highest that has been in games
	setup    game.Config      // of lobbies that no entry asks for
	agains   []lobbySpec      // of games that are over and played again
	stopping bool

	beatAt     time.Duration // of the last heartbeat that was passed on
	rested     bool          // nothing ran then
	goodAt     time.Duration // from when on the games that were taken over count as sound; 0: not yet known
	holderGone time.Duration // when the log last said that the holder has ended; 0: never

	coming bool // games of a process before may still be taken over; belongs to the loop's goroutine

	takeover *takeover.Takeover // of the games of earlier processes
	retry    time.Duration      // refillRetry; tests wait less
}

// Addr is where the host listens.
func (h *Host) Addr() netip.AddrPort { return h.shard.opts.Listeners.Addr() }

// Game finds a lobby or a running game.
func (h *Host) Game(id uint32) *Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.games[id&gameIDMask]
}

// Games lists the lobbies and running games.
func (h *Host) Games() []*Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.games))
}

// find is Game; over reports that the game of this id has ended.
func (h *Host) find(id uint32) (g *Game, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id &= gameIDMask
	g = h.games[id]
	return g, g == nil && id > 0 && id <= h.opened
}

// Draining reports whether no lobby is opened any more, by an operator's will.
func (h *Host) Draining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopping || h.keeper.Disabled()
}

// forget removes a game that is over from all tables.
func (h *Host) forget(g *Game) {
	h.running = slices.DeleteFunc(h.running, func(o *Game) bool { return o == g })
	h.Keep(func(k *autohost.Keeper) {
		delete(h.games, g.id)
		delete(h.infos, g.id)
		k.Ended(g.id)
	})
}

// again has a lobby opened in the place of a game that is played again.
func (h *Host) again(g *Game, cfg *game.Config) {
	spec := *g.spec
	spec.name, spec.again, spec.over = cfg.Name, cfg, g.id
	h.Keep(func(k *autohost.Keeper) {
		k.Hold(g.id)
		h.agains = append(h.agains, spec)
	})
}

// beginStop announces the end of this host, or that another process goes on in its place.
func (h *Host) beginStop(handing bool) {
	h.mu.Lock()
	h.stopping = true
	h.mu.Unlock()
	h.takeover.Stop(handing)
}

// New makes a host; nothing is served before Run.
func New(opts Options) (*Host, error) {
	opts.Advertiser = cmp.Or[gamelist.Advertiser](opts.Advertiser, nobody{})
	opts.Recorder = cmp.Or[Recorder](opts.Recorder, nobody{})
	opts.Bans = cmp.Or[Bans](opts.Bans, nobody{})
	opts.Admins = cmp.Or[Admins](opts.Admins, nobody{})
	if opts.Country == nil {
		opts.Country = func(netip.Addr) string { return "" }
	}
	opts.Realms = cmp.Or[Realms](opts.Realms, nobody{})
	if opts.Outside == nil {
		opts.Outside = func(uint32, *command.Caller, string) {}
	}
	r := &registry{infos: make(map[uint32]*Info), refill: make(chan struct{}, 1)}
	h := &Host{registry: r, games: make(map[uint32]*Game), setup: opts.Game, retry: cmp.Or(opts.Autohost.Retry, refillRetry)}
	a := &opts.Autohost
	if a.Expand == nil {
		a.Expand = func(choice string) []string { return []string{choice} }
	}
	r.keeper = autohost.New(a.Entries, a.MaxGames, h.retry, uint64(randomU32()), a.Expand, r.seated)
	if opts.Leases != nil {
		r.keeper.Share()
	}
	var err error
	if h.shard, err = newShard(opts, r, h.arrive); err != nil {
		return nil, err
	}
	idle := idleBeat
	if h.shard.inherited.Shelf != nil {
		idle = heldBeat
	}
	h.shard.Beat(idle, h.beat)
	for _, g := range h.shard.inherited.Games() {
		h.lastID = max(h.lastID, g.ID)
		h.opened = h.lastID
		entry := g.Entry
		if g.Leased && !g.Playing {
			entry = "" // the lease is lost: another lobby opens
		}
		h.keeper.Survived(g.ID, entry, g.Number, !g.Playing)
		h.coming = true
	}
	h.takeover = takeover.New(h.shard.inherited, (*adopter)(h))
	return h, nil
}

// How often the loop beats without a lobby or game: seldom, since nothing waits for it, and
// more often where the holder has to see that the loop goes round.
const (
	idleBeat = 30 * time.Second
	heldBeat = 2 * time.Second
)

// beat is called by the loop at each heartbeat.
func (h *Host) beat() {
	h.watchHolder()
	heart, idle := h.shard.opts.Heart, len(h.running) == 0
	if heart == nil || idle && h.rested && h.shard.Now()-h.beatAt < idleBeat {
		return
	}
	h.beatAt, h.rested = h.shard.Now(), idle
	heart.Beat(time.Now())
}

// Run serves until ctx ends, then stops in order.
func (h *Host) Run(ctx context.Context) error {
	return errors.Join(h.Serve(ctx), h.Close())
}

// Serve serves until ctx ends. Close or Leave has to follow.
func (h *Host) Serve(ctx context.Context) error {
	go h.shard.Run() // ends with stop
	if w := h.shard.watchers; w != nil {
		go background.Run(func() { // ends with Close
			if w.RunGuarded() {
				h.shard.Call(h.showNothing)
			}
		})
	}
	h.takeover.Run(func() {
		h.coming = false
		if shelf := h.shard.inherited.Shelf; shelf != nil {
			shelf.Serving()
		}
	})
	var err error
	h.shard.Wait(func() { // a player who comes back finds the game
		err = h.listen()
		h.goodAt = h.shard.Now() + goodAfter
	})
	if err != nil {
		return err
	}
	h.keepLobbies(ctx)
	return nil
}

// listen has connections accepted. Until then the system keeps them.
func (h *Host) listen() error {
	for _, l := range []net.Listener{h.shard.opts.Listeners.Main, h.shard.opts.Listeners.Returns} {
		if l == nil || h.shard.Stopping() {
			continue
		}
		if err := h.shard.Listen(l); err != nil {
			return fmt.Errorf("listen on %v: %w", l.Addr(), err)
		}
	}
	return nil
}

// showNothing lets nobody watch any more.
func (h *Host) showNothing() {
	h.shard.watchers = nil
	for _, g := range h.running {
		g.stopShowing()
	}
}

// Close stops in order: no new connections, no announcements, games told and ended,
// their last packets flushed. It returns when all that is done or Limits.Shutdown has
// passed: the takeovers of games, connections, spectators and observers share this one deadline.
func (h *Host) Close() error {
	h.mu.Lock()
	within := h.shard.opts.Limits.Shutdown
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	err := h.stop(ctx, within)
	h.takeover.Await(ctx)
	if w := h.shard.watchers; w != nil {
		w.Shutdown(within * 3 / 4) // the loop that would have said so may have crashed
		<-w.Done()
	}
	h.closeJournals(ctx)
	h.shard.writing.Wait()
	if l := &h.shard.lateness; l.counts.TotalCount() > 0 {
		h.shard.log.Info().EmbedObject(l).Int("passes", h.shard.Passes()).Msg("how late turns were sent")
	}
	return err
}

// journalsLeast is how long the disk has for the last journals, even if the games took all of the time.
const journalsLeast = 300 * time.Millisecond

func (h *Host) closeJournals(ctx context.Context) {
	end, _ := ctx.Deadline()
	if least := time.Now().Add(journalsLeast); end.Before(least) {
		end = least
	}
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	h.shard.journals.Close(ctx)
}

// waiting is a group of the loop that never does anything: the loop does not end before it.
type waiting struct{}

func (waiting) Tick()                       {}
func (waiting) Next() (time.Duration, bool) { return 0, false }
func (waiting) Attends() bool               { return false }

// stop ends everything in order and waits for it until ctx ends. The loop goes on until all takeovers are
// settled: a game that another process has released for this one is ended here.
func (h *Host) stop(ctx context.Context, within time.Duration) error {
	h.beginStop(false)
	var takeovers *loop.Group
	h.shard.Call(func() {
		takeovers = h.shard.Group(waiting{}, 0)
		h.stopGames(within)
	})
	settled := func() { h.shard.CloseGroup(takeovers) }
	go func() { // ends when no takeover is under way
		h.takeover.Wait()
		h.shard.Call(settled)
	}()
	defer h.shard.handover.ended()
	select {
	case <-h.shard.Done():
		return nil
	case <-ctx.Done():
	}
	h.shard.Call(func() {
		settled()
		h.abandon()
	})
	<-h.shard.Done()
	return fmt.Errorf("games or connections were still open %v after the end was announced", within)
}

// stopGames ends everything in order: no new connections, no unjoined ones, then the
// games, which flush their last packets. Clients that do not close are cut in time for the rest to be done within
// the limit.
func (h *Host) stopGames(within time.Duration) {
	h.shard.handover.end()
	h.shard.Stop(errHostStops)
	h.shard.LingerAtMost(within * 3 / 4)
	if w := h.shard.watchers; w != nil {
		w.Shutdown(within * 3 / 4)
	}
	for _, g := range slices.Clone(h.running) {
		g.stopNow()
	}
}

// abandon ends the games and connections left after Limits.Shutdown.
func (h *Host) abandon() {
	for _, g := range slices.Clone(h.running) {
		g.end()
	}
	for c := range h.shard.Expiring(loop.Closing) {
		c.Cut(errHostStops)
	}
}
