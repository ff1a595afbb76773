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

// Limits on the requests in flight for one address, streams included: for callers with a session or
// token, and for all others. Behind a proxy the forwarded address counts, so that one client cannot
// use up all connections of the proxy. With HTTP/2 the limits apply to the streams of all
// connections of an address together.
const (
	callerInFlight   = 128
	strangerInFlight = 32
)

// drained is the maximum number of unread bytes of a request body that are read after the handler,
// so that the connection can be reused.
const drained = 64 << 10

// inFlight counts the requests whose responses are not complete.
type inFlight struct {
	mu   sync.Mutex
	from map[origin]int
}

// origin identifies whose requests are counted together. Callers with a session and strangers at
// the same address are counted separately, so that strangers cannot lock the callers out.
type origin struct {
	addr     netip.Addr
	stranger bool
}

// begin counts a request. It returns false if its origin is at the limit; otherwise the caller must
// call end.
func (f *inFlight) begin(from *Principal) (o origin, ok bool) {
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

// counted calls h unless the caller has too many requests in flight. Health checks are not limited.
func (s *Server) counted(w http.ResponseWriter, r *http.Request, from *Principal, h http.Handler) {
	if s.isHealthCheck(r) {
		h.ServeHTTP(w, r)
		return
	}
	of, ok := s.inFlight.begin(from)
	if !ok {
		w.Header().Set("Retry-After", "1")
		WriteProblem(w, http.StatusTooManyRequests, "too_many_at_once", "too many requests of your address are being answered: wait for one of them")
		return
	}
	defer s.inFlight.end(of)
	h.ServeHTTP(w, r)
	_, _ = io.CopyN(io.Discard, r.Body, drained) // of a refused request, which counts until its body has come
}

// isHealthCheck reports whether a request is a health check without a body.
func (s *Server) isHealthCheck(r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, s.opts.BasePath)
	return (path == "/healthz" || path == "/readyz") && r.ContentLength == 0
}

// received sets a deadline for the body of each request, see bodyWithin, and refuses all requests
// but health checks on reserved connections.
func (s *Server) received(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if healthOnly, _ := r.Context().Value(healthOnlyKey{}).(bool); healthOnly {
			w.Header().Set("Connection", "close")
			if !s.isHealthCheck(r) {
				_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // nobody waits for the body
				w.Header().Set("Retry-After", "5")
				WriteProblem(w, http.StatusServiceUnavailable, "busy", "too many connections are open: try again in a few seconds")
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

// timedBody is a request body that removes the read deadline once it has been read completely.
// Otherwise the deadline would also cancel handlers that run for longer.
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
