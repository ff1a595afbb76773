package web

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/web/access"
)

// limiter is an allowance.Limiter that is safe for concurrent use.
type limiter[K comparable] struct {
	mu     sync.Mutex
	limits *allowance.Limiter[K]
}

func newLimiter[K comparable](burst int, per time.Duration) *limiter[K] {
	return &limiter[K]{limits: allowance.NewLimiter[K](burst, per)}
}

// allow counts an event of a key and reports whether it is within the limit.
func (l *limiter[K]) allow(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limits.Allow(time.Now(), key)
}

// Limits on API requests per second: for an account or token, and for a network without either.
const (
	requestRate, requestBurst   = 20, 40
	strangerRate, strangerBurst = 5, 20
)

// Pace limits the request rate of each caller.
type Pace struct {
	callers   *limiter[access.Identity] // those who have logged in, or have a token
	strangers *limiter[netip.Addr]
}

// NewPace returns a Pace. It counts the requests of all handlers that it wraps together.
func NewPace() *Pace {
	return &Pace{
		callers:   newLimiter[access.Identity](requestBurst, requestBurst*time.Second/requestRate),
		strangers: newLimiter[netip.Addr](strangerBurst, strangerBurst*time.Second/strangerRate),
	}
}

// Paced wraps a handler. Callers above the limit get status 429.
func (p *Pace) Paced(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.Allow(r) {
			w.Header().Set("Retry-After", "1")
			WriteProblem(w, http.StatusTooManyRequests, "too_many_requests", "you ask too often: wait a second")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Allow counts a request and reports whether its caller is within the limit.
func (p *Pace) Allow(r *http.Request) bool { return p.allow(Caller(r)) }

func (p *Pace) allow(from Principal) bool {
	if from.Role == access.Public {
		return p.strangers.allow(network.Base(from.Addr))
	}
	return p.callers.allow(from.Identity)
}
