// Package live keeps the live pages up to date. Its observers record what happens in the games, and
// its goroutine updates the view and publishes the changes.
package live

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"w3host/game"
	"w3host/host"
	"w3host/internal/heartbeat"
	"w3host/web/hub"
	"w3host/web/view"
)

const (
	// lookEvery is the interval at which events are processed while somebody watches a page.
	// Otherwise they are processed at the heartbeat of the process. Only an event that fills half
	// of the ring wakes the goroutine.
	lookEvery = 100 * time.Millisecond
	// secondEvery is the interval at which the figures of the host are updated while somebody
	// watches.
	secondEvery = time.Second
	// meetEvery is the interval at which the list of games is compared with the host's.
	meetEvery = 5 * time.Second
	// fleetEvery is the interval at which the other hosts are queried while somebody watches.
	fleetEvery = 2 * time.Second
	// restAfterFault is the pause after a panic, so that a recurring one costs little.
	restAfterFault = time.Second
)

// Live keeps the pages of games up to date.
type Live struct {
	Hub  *hub.Hub
	ring ring
	opts Options

	mu   sync.Mutex
	view *view.View

	answers chan func(*view.View) // snapshots that were asked for
	wake    chan struct{}         // asks for a look
}

// Options holds the sources of Live besides the observed events, and the consumers of its events.
type Options struct {
	// Standing returns the state of the host that pages show. It is called about once a second.
	Standing func() view.Host
	// Heart is the heartbeat of the process; nil stands for one beat a second.
	Heart *heartbeat.Heart
	// Fleet returns the state of the other hosts. It may wait for the database. It is nil without
	// other hosts.
	Fleet func(context.Context) *view.Fleet
	// Each, if not nil, is called with every event, on the goroutine of Run.
	Each func(*view.Event)
	// Reads, if not nil, reports whether anybody reads the events that Each passes on.
	Reads func() bool
	// Fault is called after a panic in the code that builds pages.
	Fault func(fault any, stack []byte)
}

// Games gives access to the games of a host.
type Games interface {
	Infos() []host.Info
	// Snapshot calls use with the state of a game, on any goroutine. The state is nil if there is
	// no such game.
	Snapshot(id uint32, use func(*game.Snapshot))
}

// New returns a Live that publishes to h.
func New(h *hub.Hub, o Options) *Live {
	l := &Live{Hub: h, opts: o, view: view.New(), answers: make(chan func(*view.View), 64), wake: make(chan struct{}, 1)}
	l.ring.half = l.Look
	h.Arrived(l.Look)
	return l
}

// Observe returns the observer of a game, for host.Options.
func (l *Live) Observe(id uint32, key string) host.Observer {
	return &observer{ring: &l.ring, start: since1970(), game: id, key: key}
}

// Run keeps the pages up to date until ctx ends. It recovers from panics, because an error in a
// page must not end games.
func (l *Live) Run(ctx context.Context, games Games) {
	if l.opts.Fleet != nil {
		go l.followFleet(ctx) // ends with ctx
	}
	for l.run(ctx, games); ctx.Err() == nil; l.run(ctx, games) {
		select {
		case <-ctx.Done():
		case <-time.After(restAfterFault):
		}
	}
}

func (l *Live) run(ctx context.Context, games Games) {
	defer func() {
		if fault := recover(); fault != nil {
			l.opts.Fault(fault, debug.Stack())
		}
	}()
	beats, stop := l.opts.Heart.ListenWhen(secondEvery, l.ring.waits)
	defer stop()
	look := time.NewTimer(lookEvery)
	defer look.Stop()
	var second, meet time.Time // when these were done last
	for {
		now := time.Now()
		if now.Sub(second) >= secondEvery {
			second = now
			l.second()
		}
		if now.Sub(meet) >= meetEvery {
			meet = now
			l.meet(games)
		}
		l.look(games)
		if l.Hub.Busy() || l.opts.Reads != nil && l.opts.Reads() {
			look.Reset(lookEvery)
		} else {
			look.Stop()
		}
		if !l.await(ctx, beats, look.C) {
			return
		}
	}
}

// await waits until events should be processed, and returns false when ctx has ended.
func (l *Live) await(ctx context.Context, beats, look <-chan time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case a := <-l.answers:
			l.locked(a)
		case <-beats:
			return true
		case <-look:
			return true
		case <-l.wake:
			return true
		}
	}
}

// Look makes Run process the pending events at once, so that a page or stream that is opened now
// shows them. It does not block.
func (l *Live) Look() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// second does the work of each second.
func (l *Live) second() {
	standing := l.opts.Standing()
	l.locked(func(v *view.View) {
		v.SetHost(standing)
		v.Second()
	})
}

// meet passes the current list of games to the view.
func (l *Live) meet(games Games) {
	var ids []uint32
	for _, i := range games.Infos() {
		if !i.Apart { // of those nothing is told
			ids = append(ids, i.ID)
		}
	}
	l.locked(func(v *view.View) { v.Meet(ids) })
}

// look processes the pending events, requests the snapshots that the view wants, and publishes the
// changes.
func (l *Live) look(games Games) {
	var asks []uint32
	l.locked(func(v *view.View) {
		now := since1970()
		through := l.ring.take(func(e *view.Event) {
			v.Fact(e)
			if l.opts.Each != nil {
				l.opts.Each(e)
			}
		})
		v.Through(through)
		asks = v.Asks(now)
		for _, p := range v.Patches(now, l.watched, l.forget) {
			l.Hub.Publish(p.Topic.String(), "patch", view.Encode(p.Ops))
		}
	})
	for _, id := range asks {
		games.Snapshot(id, func(s *game.Snapshot) {
			select {
			case l.answers <- func(v *view.View) { v.Snapshot(since1970(), id, s) }:
			default: // it is asked for again
			}
		})
	}
}

// followFleet updates the state of the other hosts while somebody watches.
func (l *Live) followFleet(ctx context.Context) {
	tick := time.NewTicker(fleetEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		watched := false
		l.locked(func(v *view.View) { watched = v.FleetWatched(l.watched) })
		if watched {
			l.LookAtFleet(ctx)
		}
	}
}

// LookAtFleet updates the state of the other hosts now. It waits for Options.Fleet.
func (l *Live) LookAtFleet(ctx context.Context) {
	if l.opts.Fleet == nil {
		return
	}
	if fleet := l.opts.Fleet(ctx); ctx.Err() == nil {
		l.locked(func(v *view.View) { v.SetFleet(fleet) })
	}
}

// InFleet reports whether there are other hosts.
func (l *Live) InFleet() bool { return l.opts.Fleet != nil }

// Open returns the values for a page that is opened now, and the id of the frame after which its
// patches follow.
func (l *Live) Open(t view.Topic) (values view.Values, after string, ok bool) {
	l.Look()
	l.locked(func(v *view.View) {
		if values, ok = v.Open(since1970(), t); ok {
			after = l.Hub.Keep(t.String())
		}
	})
	return values, after, ok
}

// Seen returns the latest snapshot of a game, or nil if there is none.
func (l *Live) Seen(id uint32) (s *game.Snapshot, late view.Lateness) {
	l.locked(func(v *view.View) { s, late = v.Seen(id) })
	return s, late
}

// Standing returns the number of pending events, and of events lost because the ring was full.
func (l *Live) Standing() (waiting int, lost uint64) {
	l.locked(func(v *view.View) { lost = v.Lost() })
	return int(l.ring.tail.Load() - l.ring.head.Load()), lost
}

func (l *Live) locked(f func(*view.View)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.view)
}

func (l *Live) watched(t view.Topic) bool { return l.Hub.Watched(t.String()) }

func (l *Live) forget(t view.Topic) { l.Hub.Forget(t.String()) }

func since1970() time.Duration { return time.Duration(time.Now().UnixNano()) }
