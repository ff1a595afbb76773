package web

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"w3host/internal/network"
	"w3host/web/access"
)

// Limits of the requests that are answered at the same time for one address, streams included: of browsers and programs
// with a login, and of all others there. Behind a proxy the address is the one that the proxy forwards, so that one
// address cannot hold all connections of the proxy; with HTTP/2 it bounds the streams of an address's connections together.
const (
	callerInFlight   = 128
	strangerInFlight = 32
)

// drained is how much of a body is read that a handler has not read, so that its connection can be used again, in bytes.
const drained = 64 << 10

// inFlight counts the requests that have no complete answer yet.
type inFlight struct {
	mu   sync.Mutex
	from map[origin]int
}

// origin is an address, of callers with a login or of those without: a stranger takes no place of a caller who shares
// the address.
type origin struct {
	addr     netip.Addr
	stranger bool
}

// begin counts a request; false: its address has too many already. The caller must call end after each true.
func (f *inFlight) begin(from *From) (o origin, ok bool) {
	o, most := origin{network.Base(from.Addr), from.Role == access.Public}, callerInFlight
	if o.stranger {
		most = strangerInFlight
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.from[o] >= most {
		return o, false
	}
	f.from[o]++
	return o, true
}

func (f *inFlight) end(o origin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.from[o]--; f.from[o] == 0 {
		delete(f.from, o)
	}
}

// counted answers a request unless its address has too many requests in flight.
func (s *Server) counted(w http.ResponseWriter, r *http.Request, from *From, h http.Handler) {
	if s.isHealthCheck(r) {
		h.ServeHTTP(w, r)
		return
	}
	of, ok := s.inFlight.begin(from)
	if !ok {
		w.Header().Set("Retry-After", "1")
		Fault(w, http.StatusTooManyRequests, "too_many_at_once", "too many requests of your address are being answered: wait for one of them")
		return
	}
	defer s.inFlight.end(of)
	h.ServeHTTP(w, r)
	_, _ = io.CopyN(io.Discard, r.Body, drained) // of a refused request, which counts until its body has come
}

// isHealthCheck reports whether a request asks for the health of the host and brings nothing to read.
func (s *Server) isHealthCheck(r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, s.opts.BasePath)
	return (path == "/healthz" || path == "/readyz") && r.ContentLength == 0
}

// received bounds the time in which the body of a request comes, see bodyWithin, and refuses all requests but
// health checks on reserved connections.
func (s *Server) received(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if healthOnly, _ := r.Context().Value(healthOnlyKey{}).(bool); healthOnly {
			w.Header().Set("Connection", "close")
			if !s.isHealthCheck(r) {
				_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // nobody waits for the body
				w.Header().Set("Retry-After", "5")
				Fault(w, http.StatusServiceUnavailable, "busy", "too many connections are open: try again in a few seconds")
				return
			}
		}
		if r.ContentLength == 0 {
			h.ServeHTTP(w, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w)}
		_ = body.control.SetReadDeadline(time.Now().Add(bodyWithin))
		r.Body = body
		h.ServeHTTP(w, r)
		if !body.complete { // nobody waits for the rest
			_ = body.control.SetReadDeadline(time.Now())
		}
	})
}

// timedBody is the body of a request with a deadline, which it lifts when all of it has come: the deadline would end the
// request otherwise, however long its handler may take.
type timedBody struct {
	io.ReadCloser
	control  *http.ResponseController
	complete bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.complete {
		b.complete = true
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
