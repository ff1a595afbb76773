package lan

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"w3host/internal/heartbeat"
	"w3host/lan/mdns"
	"w3host/protocol/w3gs"
)

// Advertiser keeps lobbies listed on the network. Its methods may be called
// from any goroutine; none waits for a socket but Shutdown.
type Advertiser struct {
	opts Options

	mu      sync.Mutex // guards what follows up to the gap; never held over I/O
	board   board
	ports   []*port // the conn of each
	limit   *limiter
	foreign []w3gs.SearchGame // games and versions that were logged
	mdns    *mdns.Responder   // nil until a lobby is shown to 1.30 to 2.0
	local   bool              // the port for searches of 3.0 is open, or tried
	stopped bool

	next atomic.Int64 // when the announcer looks next, in nanoseconds since 1970; 0: after a change

	wake    chan struct{} // something may be due
	done    chan struct{} // Shutdown has begun
	said    chan struct{} // closed when the last announcements are sent
	readers sync.WaitGroup
}

// Listen opens the sockets and starts to announce. A port that cannot be opened is
// logged and tried again; lobbies are announced all the same. The error names every
// invalid option, or says that no UDP socket can be opened.
//
// Shutdown ends the goroutines that Listen starts: one for announcements, one
// for each port.
func Listen(opts Options) (*Advertiser, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	a := newAdvertiser(opts)
	if err := a.openPorts(); err != nil {
		return nil, err
	}
	for _, p := range a.ports {
		a.readers.Go(func() { a.serve(p) }) // ends when Shutdown closes its socket
	}
	s := &sender{a: a, failed: map[netip.AddrPort]bool{}}
	go func() { // ends after Shutdown, with the last 0x33
		defer s.close()
		a.announce(s.send)
	}()
	return a, nil
}

func newAdvertiser(opts Options) *Advertiser {
	a := &Advertiser{
		opts:  opts,
		limit: newLimiter(opts.pause, opts.Targets),
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
		said:  make(chan struct{}),
	}
	a.board.opts = &a.opts
	return a
}

// Open lists a lobby: 0x31 and 0x32 go out at once. The seconds in its 0x30
// count from here. A private lobby is not announced.
func (a *Advertiser) Open(ad Advert) error {
	if ad.Private {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return errStopped
	}
	if err := a.board.open(time.Now(), ad); err != nil {
		return fmt.Errorf("advertise game %d: %w", ad.GameID, err)
	}
	if a.board.find(ad.GameID).foundBy(&a.opts, w3gs.DiscoveryLocal) {
		a.openLocal()
	}
	a.publish(ad.GameID)
	a.notify()
	return nil
}

// Update sets how full a lobby is; a change is announced at once. A lobby that is
// not open, because its game has just started, and an invalid count are ignored.
func (a *Advertiser) Update(gameID uint32, c Count) {
	a.change(gameID, func() bool { return a.board.update(gameID, c) })
}

// Close takes a lobby off the list, because it started or was cancelled.
func (a *Advertiser) Close(gameID uint32) {
	a.change(gameID, func() bool { return a.board.close(gameID) })
}

func (a *Advertiser) change(gameID uint32, change func() bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if change() {
		a.publish(gameID)
		a.notify()
	}
}

// ShowTo announces a lobby to one more address, as long as it is open.
func (a *Advertiser) ShowTo(gameID uint32, to netip.AddrPort) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.board.showTo(gameID, to)
	if err == nil {
		a.notify()
	}
	return err
}

// Addrs are the local addresses on which searches are answered now.
func (a *Advertiser) Addrs() []netip.AddrPort {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []netip.AddrPort
	for _, p := range a.ports {
		if p.conn != nil && p.answerPort == nil {
			out = append(out, localAddr(p.conn))
		}
	}
	return out
}

// Shutdown takes every lobby off the list and closes the sockets. It returns
// when all goroutines have ended; a second call does nothing.
func (a *Advertiser) Shutdown() {
	a.mu.Lock()
	if !a.stopped {
		a.stopped = true
		a.board.closeAll()
		close(a.done)
	}
	a.mu.Unlock()
	if a.mdns != nil {
		a.mdns.Shutdown()
	}
	<-a.said // while the sockets are still open
	a.closePorts()
	a.readers.Wait()
}

// publish shows the present state of a lobby to clients of 1.30 to 2.0.
func (a *Advertiser) publish(gameID uint32) {
	var services []mdns.Service
	if l := a.board.find(gameID); l != nil && !l.ad.IsHidden() {
		services = l.ad.services(&a.opts, l.opened, l.changes)
	}
	if a.mdns == nil {
		if services == nil {
			return
		}
		bind := a.opts.Bind
		if bind.IsUnspecified() && a.opts.IPv6 {
			bind = netip.IPv6Unspecified()
		}
		a.mdns = mdns.Start(mdns.Options{
			Bind: bind, Log: a.opts.Log,
			Allow: func(now time.Time, from netip.Addr, gameID uint32) bool {
				return a.limit.grant(now, from, a.limit.interfaces.kind(now, from), gameID)
			},
			Local: func(from netip.Addr) bool { return a.limit.interfaces.kind(time.Now(), from) != beyond },
		})
	}
	a.mdns.Set(gameID, services...)
}

// notify wakes the announcer, which looks at the whole board.
func (a *Advertiser) notify() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// beatSlack is half of the longest time between two beats: a beat sends what is due in that time.
const beatSlack = 600 * time.Millisecond

// announce sends the datagrams that are due, at once after a change and at each lobby's interval,
// until Shutdown.
func (a *Advertiser) announce(send func(post)) {
	defer close(a.said)
	timer := time.NewTimer(0)
	defer timer.Stop()
	var beats <-chan time.Time // nil without a Heart
	if a.opts.Heart != nil {
		var stop func()
		beats, stop = a.opts.Heart.ListenWhen(heartbeat.Every, func() bool {
			next := a.next.Load()
			return next != 0 && time.Now().Add(beatSlack).UnixNano() >= next
		})
		defer stop()
	}
	for {
		ahead := time.Duration(0)
		select {
		case <-a.done:
			send(a.due(timer, 0))
			return
		case <-a.wake:
		case <-beats:
			ahead = beatSlack
		case <-timer.C:
		}
		send(a.due(timer, ahead))
	}
}

// due takes off the board the datagrams that are due by a moment from now, and sets the time of the
// next look. With a Heart the timer stays off: moving it once would wake a thread at the old time.
func (a *Advertiser) due(timer *time.Timer, ahead time.Duration) post {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, next := a.board.due(time.Now().Add(ahead))
	for _, id := range p.turned {
		a.publish(id)
	}
	switch {
	case next.IsZero():
		a.next.Store(0)
		timer.Stop()
	case a.opts.Heart != nil:
		a.next.Store(next.UnixNano())
	default:
		timer.Reset(time.Until(next))
	}
	return p
}
