// Package live carries the facts of all games to the pages: it observes the games, keeps the
// view up to date, and publishes the changes.
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
	// lookEvery is how often events are taken while somebody watches; otherwise they are taken
	// at the heartbeat of the process. No event wakes a goroutine, except one that finds the
	// ring half full.
	lookEvery = 100 * time.Millisecond
	// secondEvery is how often the host's own figures are taken while somebody watches.
	secondEvery = time.Second
	// meetEvery is how often the list of games is compared with the host's.
	meetEvery = 5 * time.Second
	// fleetEvery is how often other hosts are looked at while somebody watches.
	fleetEvery = 2 * time.Second
	// restAfterFault bounds the cost of a fault that comes again and again.
	restAfterFault = time.Second
)

// Live keeps the pages that show games up to date.
type Live struct {
	Hub  *hub.Hub
	ring ring
	opts Options

	mu   sync.Mutex
	view *view.View

	answers chan func(*view.View) // snapshots that were asked for
	wake    chan struct{}         // asks for a look
}

// Options are the sources of Live besides facts, and the users of its events.
type Options struct {
	// Standing tells what pages show of the host itself. It is called about once a second.
	Standing func() view.Host
	// Heart beats with the process; nil: once a second.
	Heart *heartbeat.Heart
	// Fleet tells of the other hosts. It may wait for the database; nil: this host is alone.
	Fleet func(context.Context) *view.Fleet
	// Each is told every event, on the goroutine of Run; nil: nobody is.
	Each func(*view.Event)
	// Reads reports whether somebody waits for what Each passes on; nil: nobody does.
	Reads func() bool
	// Fault is told of a panic in what pages show.
	Fault func(fault any, stack []byte)
}

// Games are those of a host.
type Games interface {
	Infos() []host.Info
	// Snapshot calls use with the state of a game, on any goroutine; nil: there is no such game.
	Snapshot(id uint32, use func(*game.Snapshot))
}

// New makes it.
func New(h *hub.Hub, o Options) *Live {
	l := &Live{Hub: h, opts: o, view: view.New(), answers: make(chan func(*view.View), 64), wake: make(chan struct{}, 1)}
	l.ring.half = l.Look
	h.Arrived(l.Look)
	return l
}

// Observe makes the observer of a game, for host.Options.
func (l *Live) Observe(id uint32, key string) host.Observer {
	return &observer{ring: &l.ring, start: since1970(), game: id, key: key}
}

// Run keeps everything up to date until ctx ends. After a fault it goes on: no game ends since
// a page is wrong.
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

// await returns when it is time to look again, and false when ctx has ended.
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

// Look has the events taken at once. It does not wait: a page that is opened shows what has
// happened so far, and a stream of events begins without delay.
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

// meet tells the view which games there are.
func (l *Live) meet(games Games) {
	var ids []uint32
	for _, i := range games.Infos() {
		if !i.Apart { // of those nothing is told
			ids = append(ids, i.ID)
		}
	}
	l.locked(func(v *view.View) { v.Meet(ids) })
}

// look takes the events that wait, asks for the snapshots that are wanted, and publishes.
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

// followFleet keeps what pages show of other hosts up to date while somebody watches.
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

// LookAtFleet has pages show the other hosts as they are now. It waits for Options.Fleet.
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

// Open returns the values for a page that is opened now, and the id behind which its patches come.
func (l *Live) Open(t view.Topic) (values view.Values, after string, ok bool) {
	l.Look()
	l.locked(func(v *view.View) {
		if values, ok = v.Open(since1970(), t); ok {
			after = l.Hub.Keep(t.String())
		}
	})
	return values, after, ok
}

// Seen is how a game stood a moment ago; nil: that is not known.
func (l *Live) Seen(id uint32) (s *game.Snapshot, late view.Lateness) {
	l.locked(func(v *view.View) { s, late = v.Seen(id) })
	return s, late
}

// Standing is how many events have not been taken yet, and how many were lost for want of room.
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
