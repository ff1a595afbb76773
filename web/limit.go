package web

import (
	"net/http"
	"sync"

	"golang.org/x/time/rate"

	"w3host/internal/network"
	"w3host/web/access"
)

// maxKnown is how many callers a Limiter remembers. When one more comes, it forgets them all.
const maxKnown = 4096

// Limiter bounds how often each caller does something.
type Limiter struct {
	mu    sync.Mutex
	known map[string]*rate.Limiter
}

// Spend counts one more of what a caller may do burst times at once, and perSecond after that;
// false: that is too often.
func (l *Limiter) Spend(who string, perSecond rate.Limit, burst int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	spent := l.known[who]
	if spent == nil {
		if len(l.known) >= maxKnown || l.known == nil {
			l.known = make(map[string]*rate.Limiter)
		}
		spent = rate.NewLimiter(perSecond, burst)
		l.known[who] = spent
	}
	return spent.Allow()
}

// Requests a second: of an account or token, and of a network without a login.
const (
	requestRate, requestBurst   = 20, 40
	strangerRate, strangerBurst = 5, 20
)

// Paced bounds how often each caller asks.
func (l *Limiter) Paced(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, rate, burst := Caller(r), rate.Limit(requestRate), requestBurst
		who := from.Via + " " + from.Name
		if from.Role == access.Public {
			who, rate, burst = network.Base(from.Addr).String(), strangerRate, strangerBurst
		}
		if !l.Spend(who, rate, burst) {
			w.Header().Set("Retry-After", "1")
			Fault(w, http.StatusTooManyRequests, "too_many_requests", "you ask too often: wait a second")
			return
		}
		h.ServeHTTP(w, r)
	})
}
