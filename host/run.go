package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/host/loop"
	"w3host/host/takeover"
	"w3host/internal/background"
)

// New makes a host; nothing is served before Run.
func New(opts Options) (*Host, error) {
	opts.Advertiser = cmp.Or[Advertiser](opts.Advertiser, nobody{})
	opts.Recorder = cmp.Or[Recorder](opts.Recorder, nobody{})
	opts.Bans = cmp.Or[Bans](opts.Bans, nobody{})
	opts.Admins = cmp.Or[Admins](opts.Admins, nobody{})
	if opts.Country == nil {
		opts.Country = func(netip.Addr) string { return "" }
	}
	opts.Realms = cmp.Or[Realms](opts.Realms, nobody{})
	opts.People = cmp.Or[People](opts.People, nobody{})
	opts.Ratings = cmp.Or[Ratings](opts.Ratings, nobody{})
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
