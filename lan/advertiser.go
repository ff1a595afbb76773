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

// Advertiser announces lobbies on the network and answers searches. Its methods may be called from any goroutine; only
// Shutdown waits for sockets.
type Advertiser struct {
	opts Options

	mu      sync.Mutex // guards the fields up to the blank line; never held over I/O
	board   board
	ports   []*port // including the socket of each
	limit   *limiter
	foreign []w3gs.SearchGame // games and versions already logged
	mdns    *mdns.Responder   // nil until a lobby is shown to clients of 1.30 to 2.0
	local   bool              // the port for searches of 3.0 was opened, or at least tried
	stopped bool

	next atomic.Int64 // time of the next announcement in ns since 1970; 0 right after a change

	wake    chan struct{} // signals that something may be due
	done    chan struct{} // closed when Shutdown begins
	said    chan struct{} // closed when the last announcements are sent
	readers sync.WaitGroup
}

// Listen opens the sockets and starts announcing. A port that cannot be opened is logged and retried, while lobbies are
// announced anyway. The error lists all invalid options, or says that no UDP socket can be opened at all.
//
// Shutdown ends the goroutines started here: one for announcements and one per port.
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

// Open lists a lobby and sends 0x31 and 0x32 at once. The uptime in its 0x30 counts from this call. A private lobby is
// not announced.
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

// Update sets the occupancy of a lobby and announces a change at once. It ignores lobbies that are not open, because
// their game may just have started, and invalid counts.
func (a *Advertiser) Update(gameID uint32, c Count) {
	a.change(gameID, func() bool { return a.board.update(gameID, c) })
}

// Close removes a lobby from the list because it started or was cancelled.
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

// ShowTo announces an open lobby to one more address, as long as it is open.
func (a *Advertiser) ShowTo(gameID uint32, to netip.AddrPort) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.board.showTo(gameID, to)
	if err == nil {
		a.notify()
	}
	return err
}

// Addrs returns the local addresses on which searches are currently answered.
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

// Shutdown removes all lobbies from the list and closes the sockets. It returns when all goroutines have ended; a second
// call does nothing.
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

// publish updates a lobby's record for clients of 1.30 to 2.0.
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

// notify wakes the announcer, which checks the whole board.
func (a *Advertiser) notify() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// beatSlack is half of the longest interval between two heartbeats: at each one, everything due within that time is
// sent.
const beatSlack = 600 * time.Millisecond

// announce sends the datagrams that are due, at once after a change and otherwise at each lobby's interval, until
// Shutdown.
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

// due removes from the board the datagrams that are due within ahead from now, and sets the time of the next ones. With a Heart
// the timer stays off, because moving it would wake a thread at the old time.
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
