// Package host serves lobbies and games: it accepts connections, gives each one to its game, and carries packets between
// sockets and the game machines (package game), which know the rules. A Host runs all its games on one event loop
// (host/loop). Package daemon makes it; commands, web console and metrics call its exported methods.
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
	"sync"
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/host/gamelist"
	"w3host/host/loop"
	"w3host/host/registry"
	"w3host/host/takeover"
	"w3host/internal/background"
)

// Host accepts joins on one TCP port for all its lobbies and games. Create it with New, then call Run.
type Host struct {
	*registry.Registry
	shard   *shard
	running []*Game // in the order of their start; for the loop's goroutine only

	mu       sync.Mutex       // guards the following; Registry may be called with it held
	games    map[uint32]*Game // lobbies and running games by ID
	lastID   uint32           // last ID given to a lobby
	opened   uint32           // highest ID that has been in games
	setup    game.Config      // for lobbies without an entry
	agains   []lobbySpec      // lobbies to open for games that are played again
	stopping bool

	beatAt     time.Duration // when the last heartbeat was passed on
	rested     bool          // nothing ran at beatAt
	goodAt     time.Duration // when taken-over games count as sound; 0: not known yet
	holderGone time.Duration // when the end of the supervisor was last logged; 0: never

	coming bool // games of earlier processes may still be taken over; for the loop's goroutine only

	takeover *takeover.Takeover // of the games of earlier processes
	retry    time.Duration      // refillRetry; shorter in tests
}

// Addr returns the address that the host listens on.
func (h *Host) Addr() netip.AddrPort { return h.shard.opts.Listeners.Addr() }

// Game returns the lobby or running game of an ID, or nil.
func (h *Host) Game(id uint32) *Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.games[id&registry.IDMask]
}

// Games returns all lobbies and running games, in any order.
func (h *Host) Games() []*Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.games))
}

// find is Game, and reports whether the game of this ID has ended.
func (h *Host) find(id uint32) (g *Game, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id &= registry.IDMask
	g = h.games[id]
	return g, g == nil && id > 0 && id <= h.opened
}

// Draining reports whether an operator has ordered that no more lobbies open.
func (h *Host) Draining() bool {
	disabled := false
	h.Locked(func(k *autohost.Keeper) { disabled = k.Disabled() })
	return disabled || h.isStopping()
}

func (h *Host) isStopping() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopping
}

// forget removes an ended game from all indexes.
func (h *Host) forget(g *Game) {
	h.running = slices.DeleteFunc(h.running, func(o *Game) bool { return o == g })
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.games, g.id)
	h.Remove(g.id)
	h.Keep(func(k *autohost.Keeper) { k.Ended(g.id) })
}

// again orders a lobby for a game that is played again.
func (h *Host) again(g *Game, cfg *game.Config) {
	spec := *g.spec
	spec.name, spec.again, spec.over = cfg.Name, cfg, g.id
	h.mu.Lock()
	defer h.mu.Unlock()
	h.agains = append(h.agains, spec)
	h.Keep(func(k *autohost.Keeper) { k.Hold(g.id) })
}

// beginStop announces the end of this host; handing: another process takes over its games.
func (h *Host) beginStop(handing bool) {
	h.mu.Lock()
	h.stopping = true
	h.mu.Unlock()
	h.takeover.Stop(handing)
}

// New makes a host. It serves nothing before Run or Serve.
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
	h := &Host{games: make(map[uint32]*Game), setup: opts.Game, retry: cmp.Or(opts.Autohost.Retry, refillRetry)}
	a := &opts.Autohost
	if a.Expand == nil {
		a.Expand = func(choice string) []string { return []string{choice} }
	}
	h.Registry = registry.New(func(seated func(uint32, string) bool) *autohost.Keeper {
		return autohost.New(a.Entries, a.MaxGames, h.retry, uint64(randomU32()), a.Expand, seated)
	})
	if opts.Leases != nil {
		h.Locked((*autohost.Keeper).Share)
	}
	var err error
	if h.shard, err = newShard(opts, h.Registry, h.arrive); err != nil {
		return nil, err
	}
	idle := idleBeat
	if h.shard.inherited.Supervisor != nil {
		idle = heldBeat
	}
	h.shard.Beat(idle, h.beat)
	for _, g := range h.shard.inherited.Games() {
		h.lastID = max(h.lastID, g.ID)
		h.opened = h.lastID
		entry := g.Entry
		if g.Leased && !g.Playing {
			entry = "" // the lease is lost, so the entry opens another lobby
		}
		h.Locked(func(k *autohost.Keeper) { k.Survived(g.ID, entry, g.Number, !g.Playing) })
		h.coming = true
	}
	h.takeover = takeover.New(h.shard.inherited, (*adopter)(h))
	return h, nil
}

// How often the loop beats without a lobby or game: seldom, because nothing waits for it, and more often under a
// supervisor, which must see that the loop runs.
const (
	idleBeat = 30 * time.Second
	heldBeat = 2 * time.Second
)

// beat is called by the loop at each heartbeat, and passes it on to Options.Heart.
func (h *Host) beat() {
	h.watchHolder()
	heart, idle := h.shard.opts.Heart, len(h.running) == 0
	if heart == nil || idle && h.rested && h.shard.Now()-h.beatAt < idleBeat {
		return
	}
	h.beatAt, h.rested = h.shard.Now(), idle
	heart.Beat(time.Now())
}

// Run serves until ctx ends, then stops the host. It is Serve and Close.
func (h *Host) Run(ctx context.Context) error {
	return errors.Join(h.Serve(ctx), h.Close())
}

// Serve serves until ctx ends. The caller must call Close or Retire afterwards.
func (h *Host) Serve(ctx context.Context) error {
	go h.shard.Run() // ends with Close
	if w := h.shard.watchers; w != nil {
		go background.Run(func() { // ends with Close
			if w.RunGuarded() {
				h.shard.Call(h.showNothing)
			}
		})
	}
	h.takeover.Run(func() {
		h.coming = false
		if supervisor := h.shard.inherited.Supervisor; supervisor != nil {
			supervisor.Serving()
		}
	})
	var err error
	h.shard.Wait(func() { // after the takeovers, so that reconnecting players find their games
		err = h.listen()
		h.goodAt = h.shard.Now() + goodAfter
	})
	if err != nil {
		return err
	}
	h.keepLobbies(ctx)
	return nil
}

// listen begins to accept connections. Until then the kernel queues them.
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

// showNothing ends spectating, because the spectators' loop has crashed.
func (h *Host) showNothing() {
	h.shard.watchers = nil
	for _, g := range h.running {
		g.stopShowing()
	}
}

// Close stops the host: it refuses connections, withdraws announcements, tells the players, ends the games and flushes
// their last packets. It blocks until that is done, at most for Limits.Shutdown, which takeovers, connections, spectators
// and observers share. It returns an error if games or connections were still open then.
func (h *Host) Close() error {
	h.mu.Lock()
	within := h.shard.opts.Limits.Shutdown
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	err := h.stop(ctx, within)
	h.takeover.Await(ctx)
	if w := h.shard.watchers; w != nil {
		w.Shutdown(within * 3 / 4) // again, because the loop that calls it in stopGames may have crashed
		<-w.Done()
	}
	h.closeJournals(ctx)
	h.shard.writing.Wait()
	if l := &h.shard.lateness; l.counts.TotalCount() > 0 {
		h.shard.log.Info().EmbedObject(l).Int("passes", h.shard.Passes()).Msg("how late turns were sent")
	}
	return err
}

// journalsLeast is the minimum time for writing the last journals, even if the games used all of Limits.Shutdown.
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

// waiting is a loop group without work. The loop does not end before the group is closed.
type waiting struct{}

func (waiting) Tick()                       {}
func (waiting) Next() (time.Duration, bool) { return 0, false }
func (waiting) Attends() bool               { return false }

// stop ends games and connections and waits for them until ctx ends. The loop runs until all takeovers are settled, so
// that a game which another process has released to this one ends here.
func (h *Host) stop(ctx context.Context, within time.Duration) error {
	h.beginStop(false)
	var takeovers *loop.Group
	h.shard.Call(func() {
		takeovers = h.shard.Group(waiting{}, 0)
		h.stopGames(within)
	})
	settled := func() { h.shard.CloseGroup(takeovers) }
	go func() { // ends when no takeover is in progress
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

// stopGames closes the ports and the connections that have not joined, then ends the games, which flush their last
// packets. Clients that do not close their connections are cut after three quarters of the limit.
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

// abandon ends the games and connections that are left after Limits.Shutdown.
func (h *Host) abandon() {
	for _, g := range slices.Clone(h.running) {
		g.end()
	}
	for c := range h.shard.Expiring(loop.Closing) {
		c.Cut(errHostStops)
	}
}
