package daemon

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
)

// sidecar is what a host says to the SDK of Agones.
type sidecar struct {
	mu   sync.Mutex
	said []string
	away atomic.Bool
}

func (s *sidecar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if s.away.Load() || r.Method != http.MethodPost || string(body) != "{}" || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path != "/health" || !slices.Contains(s.said, "/health") { // it is said all the time
		s.said = append(s.said, r.URL.Path)
	}
}

func (s *sidecar) heard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.said)
}

// The sidecar hears that the host lives, is ready, is played on, and is ready again; what it has
// missed it is told again. A host whose loop hangs says nothing.
func TestAgones(t *testing.T) {
	t.Parallel()
	var s sidecar
	s.away.Store(true)
	server := httptest.NewServer(&s)
	defer server.Close()
	var alive, people atomic.Bool
	alive.Store(true)
	a := &agones{url: server.URL, log: zerolog.Nop(), alive: alive.Load, people: people.Load}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { a.run(ctx, time.Millisecond) })
	hears := func(want ...string) {
		t.Helper()
		testkit.Eventually(t, "the sidecar hears", func() bool { return slices.Equal(s.heard(), want) })
	}
	s.away.Store(false)
	hears("/health", "/ready")
	people.Store(true)
	hears("/health", "/ready", "/allocate")
	people.Store(false)
	hears("/health", "/ready", "/allocate", "/ready")
	alive.Store(false)
	stop()
	running.Wait()
	var last sidecar // of its own: a request that the end cut off may still arrive at the first
	another := httptest.NewServer(&last)
	defer another.Close()
	a.url = another.URL
	a.report(t.Context())
	if said := last.heard(); len(said) != 0 {
		t.Errorf("a host that hangs says %q", said)
	}
	if err := a.post(t.Context(), "/shutdown"); err != nil || !slices.Equal(last.heard(), []string{"/shutdown"}) {
		t.Errorf("%v, %q", err, last.heard())
	}
}
