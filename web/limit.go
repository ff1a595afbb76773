package web

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/web/access"
)

// limiter is an allowance.Limiter that several goroutines may use.
type limiter[K comparable] struct {
	mu     sync.Mutex
	limits *allowance.Limiter[K]
}

func newLimiter[K comparable](burst int, per time.Duration) *limiter[K] {
	return &limiter[K]{limits: allowance.NewLimiter[K](burst, per)}
}

// allow counts one event of a key, and reports whether the key may have it.
func (l *limiter[K]) allow(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limits.Allow(time.Now(), key)
}

// Requests a second: of an account or token, and of a network without a login.
const (
	requestRate, requestBurst   = 20, 40
	strangerRate, strangerBurst = 5, 20
)

// Pace bounds how many requests each caller makes.
type Pace struct {
	callers   *limiter[access.Who] // those who have logged in, or have a token
	strangers *limiter[netip.Addr]
}

// NewPace returns a Pace, which counts the requests of all handlers that it wraps together.
func NewPace() *Pace {
	return &Pace{
		callers:   newLimiter[access.Who](requestBurst, requestBurst*time.Second/requestRate),
		strangers: newLimiter[netip.Addr](strangerBurst, strangerBurst*time.Second/strangerRate),
	}
}

// Paced wraps a handler: callers who ask too often are answered with 429.
func (p *Pace) Paced(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.Allow(r) {
			w.Header().Set("Retry-After", "1")
			Fault(w, http.StatusTooManyRequests, "too_many_requests", "you ask too often: wait a second")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Allow counts a request, and reports whether its caller may have it answered.
func (p *Pace) Allow(r *http.Request) bool { return p.allow(Caller(r)) }

func (p *Pace) allow(from From) bool {
	if from.Role == access.Public {
		return p.strangers.allow(network.Base(from.Addr))
	}
	return p.callers.allow(from.Who)
}

// tries bounds the tries of passwords and links: those of one address, and those of one address for one name. Each has a
// limiter of its own, so that the many names of one address do not push out other addresses.
type tries struct {
	addrs *limiter[netip.Addr]
	names *limiter[try]
}

// try is a name that an address has tried.
type try struct {
	from netip.Addr
	name string
}

const (
	// Within triesFor an address may try one name triesPerName times, and all names triesPerAddr times.
	triesFor     = 15 * time.Minute
	triesPerName = 5
	triesPerAddr = 30
)

func newTries() tries {
	return tries{newLimiter[netip.Addr](triesPerAddr, triesFor), newLimiter[try](triesPerName, triesFor)}
}

// allow counts a try of a password; false: there were too many. A check takes 19 MiB and a tenth of
// a second of a core that games need, see Work.
func (t tries) allow(name string, addr netip.Addr) bool {
	from := network.Base(addr)
	folded := strings.ToLower(strings.ToUpper(name)) // one spelling of all that Store.Check takes for the same
	return t.addrs.allow(from) && t.names.allow(try{from, folded})
}
