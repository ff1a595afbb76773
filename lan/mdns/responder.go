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

// Port is the UDP port of multicast DNS.
const Port = 5353

// lookAgain is the interval at which the network interfaces of the machine are listed again.
const lookAgain = 10 * time.Second

// Options configure a Responder.
type Options struct {
	// Bind is the address at which the services listen; only its network interface is used. An unspecified address
	// means all interfaces. The unspecified IPv6 address also announces IPv6 addresses.
	Bind netip.Addr
	// Allow decides which unicast answers may be sent.
	Allow Allow
	// Local reports whether an address is in a network of this machine. Questions from other addresses are ignored.
	Local func(netip.Addr) bool
	Log   zerolog.Logger
}

// Responder publishes services until Shutdown. Its methods may be called from any goroutine.
type Responder struct {
	opts Options

	mu      sync.Mutex // never held over I/O
	zone    zone
	sockets map[ifaceKey]*socket
	stopped bool
	quiet   bool // the last log entry said that no interface works

	wake    chan struct{}
	done    chan struct{}
	said    chan struct{} // closed after the last goodbye
	readers sync.WaitGroup
}

// Start starts publishing. Sockets that cannot be opened are retried.
func Start(o Options) *Responder {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never returns an error
	r := &Responder{
		opts: o, sockets: map[ifaceKey]*socket{},
		// The machine's own host name belongs to the responder of its operating system, so a random one is used.
		zone: zone{host: "w3host-" + hex.EncodeToString(id[:]) + ".local."},
		wake: make(chan struct{}, 1), done: make(chan struct{}), said: make(chan struct{}),
	}
	go r.run() // ends after Shutdown
	return r
}

// Set replaces all services of an owner, which is a number that the caller chooses. Without services it withdraws the
// previous ones. It does not block.
func (r *Responder) Set(owner uint32, services ...Service) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.zone.set(time.Now(), owner, services)
		r.notify()
	}
}

// Answer returns the messages with which to answer a question that arrived by unicast, or nil.
func (r *Responder) Answer(datagram []byte, from netip.Addr) [][]byte {
	m := parse(datagram)
	if m == nil || m.Response {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.zone.direct(time.Now(), m, from, nil, r.opts.Allow)
}

// Shutdown sends goodbyes for all services and closes the sockets. It returns when all goroutines have ended; a second
// call does nothing.
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

// pass sends the messages that are due and sets the timer for the next ones.
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

// refresh lists the network interfaces and adapts the sockets: it opens a socket on each new interface, and closes the
// sockets of interfaces that have disappeared. An interface whose addresses have changed gets a new socket.
func (r *Responder) refresh() {
	places := multicastInterfaces(r.opts.Bind)
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
			r.opts.Log.Debug().Err(err).Str("interface", found.name).Bool("ipv6", at.six).Msg("multicast DNS is not possible on this interface")
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

// say logs when multicast DNS stops working on all interfaces, and when it works again.
func (r *Responder) say(fault error) {
	quiet := len(r.sockets) == 0
	if quiet && !r.quiet {
		r.opts.Log.Warn().Err(fault).Msg("clients of 1.30 to 2.0 cannot see the lobbies: multicast DNS (UDP port 5353) works on no interface; retrying")
	}
	if !quiet && r.quiet {
		r.opts.Log.Info().Msg("clients of 1.30 to 2.0 can see the lobbies again")
	}
	r.quiet = quiet
}

// close closes a socket and stops publishing on its interface.
func (r *Responder) close(at ifaceKey, s *socket) {
	delete(r.sockets, at)
	r.mu.Lock()
	r.zone.links = slices.DeleteFunc(r.zone.links, func(l *link) bool { return l == s.link })
	r.mu.Unlock()
	_ = s.close()
}

// read receives and answers messages until the socket is closed.
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
