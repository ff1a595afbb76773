package mdns

import (
	"crypto/rand"
	"encoding/hex"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Port is that of multicast DNS.
const Port = 5353

// lookAgain is how often the interfaces are looked at.
const lookAgain = 10 * time.Second

// Options of a Responder.
type Options struct {
	// Bind is the address at which the services are: only its interface is used. An
	// unspecified one means all; of IPv6, that addresses of IPv6 are told as well.
	Bind netip.Addr
	// Allow limits the answers by unicast.
	Allow Allow
	// Local reports whether an asker is in a network of this machine. Others are not
	// answered.
	Local func(netip.Addr) bool
	Log   zerolog.Logger
}

// Responder publishes services until Shutdown. Its methods may be called from any
// goroutine.
type Responder struct {
	opts Options

	mu      sync.Mutex // never held over I/O
	zone    zone
	sockets map[place]*socket
	stopped bool
	quiet   bool // it was logged that nothing can be heard

	wake    chan struct{}
	done    chan struct{}
	said    chan struct{} // closed after the last good-bye
	readers sync.WaitGroup
}

// Start begins to publish. Sockets that cannot be had are tried again while it runs.
func Start(o Options) *Responder {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	r := &Responder{
		opts: o, sockets: map[place]*socket{},
		// A name of its own: that of the machine belongs to the machine's responder.
		zone: zone{host: "w3host-" + hex.EncodeToString(id[:]) + ".local."},
		wake: make(chan struct{}, 1), done: make(chan struct{}), said: make(chan struct{}),
	}
	go r.run() // ends after Shutdown
	return r
}

// Set makes these the services of an owner; none withdraws them.
func (r *Responder) Set(owner uint32, services ...Service) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.zone.set(time.Now(), owner, services)
		r.notify()
	}
}

// Answer returns the messages that answer a question that did not come by multicast.
func (r *Responder) Answer(datagram []byte, from netip.Addr) [][]byte {
	m := parse(datagram)
	if m == nil || m.Response {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.zone.direct(time.Now(), m, from, nil, r.opts.Allow)
}

// Shutdown says good-bye for all services and closes the sockets. It returns when all
// goroutines have ended; a second call does nothing.
func (r *Responder) Shutdown() {
	r.mu.Lock()
	if !r.stopped {
		r.stopped = true
		for len(r.zone.services) > 0 {
			r.zone.set(time.Now(), r.zone.services[0].owner, nil)
		}
		close(r.done)
	}
	r.mu.Unlock()
	<-r.said
	r.readers.Wait()
}

func (r *Responder) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Responder) run() {
	defer close(r.said)
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	r.refresh()
	for {
		select {
		case <-r.done:
			r.pass(timer)
			for at, s := range r.sockets {
				r.close(at, s)
			}
			return
		case <-look.C:
			r.refresh()
		case <-r.wake:
		case <-timer.C:
		}
		r.pass(timer)
	}
}

// pass sends the messages that are due and sets the timer for the next look.
func (r *Responder) pass(timer *time.Timer) {
	r.mu.Lock()
	out, next := r.zone.pass(time.Now())
	r.mu.Unlock()
	if next.IsZero() {
		timer.Stop()
	} else {
		timer.Reset(time.Until(next))
	}
	for _, s := range out {
		s.to.send(s.message)
	}
}

// refresh opens a socket on each interface that is new, and closes those of interfaces
// that have gone or have other addresses.
func (r *Responder) refresh() {
	places := here(r.opts.Bind)
	for at, s := range r.sockets {
		if found, ok := places[at]; !ok || !s.same(found) {
			r.close(at, s)
		}
	}
	var fault error
	for at, found := range places {
		if r.sockets[at] != nil {
			continue
		}
		s, err := open(at, found)
		if err != nil {
			fault = err
			r.opts.Log.Debug().Err(err).Str("interface", found.name).Bool("ipv6", at.six).Msg("no multicast DNS here")
			continue
		}
		r.sockets[at] = s
		s.link = newLink(found.records(r.zone.host, r.opts.Bind), s.send)
		r.mu.Lock()
		r.zone.add(time.Now(), s.link)
		r.mu.Unlock()
		r.readers.Go(func() { r.read(s) }) // ends when its socket is closed
		r.opts.Log.Debug().Str("interface", found.name).Bool("ipv6", at.six).Msg("listening for multicast DNS")
	}
	r.say(fault)
}

// say logs when multicast DNS begins to be of no use, and when it is again.
func (r *Responder) say(fault error) {
	quiet := len(r.sockets) == 0
	if quiet && !r.quiet {
		r.opts.Log.Warn().Err(fault).Msg("clients of 1.30 to 2.0 cannot see the lobbies: no interface takes multicast DNS (UDP port 5353); trying again")
	}
	if !quiet && r.quiet {
		r.opts.Log.Info().Msg("clients of 1.30 to 2.0 can see the lobbies again")
	}
	r.quiet = quiet
}

func (r *Responder) close(at place, s *socket) {
	delete(r.sockets, at)
	r.mu.Lock()
	r.zone.links = slices.DeleteFunc(r.zone.links, func(l *link) bool { return l == s.link })
	r.mu.Unlock()
	_ = s.close()
}

// read handles messages until the socket is closed.
func (r *Responder) read(s *socket) {
	buf := make([]byte, messageSize)
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			if s.failed(err) {
				return
			}
			continue
		}
		s.faults.Store(0)
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		m := parse(buf[:n])
		if m == nil || !r.opts.Local(from.Addr().WithZone("")) {
			continue
		}
		r.mu.Lock()
		out := r.zone.listen(time.Now(), s.link, m, from, r.opts.Allow)
		r.mu.Unlock()
		r.notify()
		for _, b := range out {
			s.sendTo(b, from)
		}
	}
}
