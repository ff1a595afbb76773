package pages

import (
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// madeFor and minimapFor are the times for which a page and a map picture are cached. mostMade is the maximum number of
// entries of each cache; a picture has about 60 KB.
const (
	madeFor    = time.Second
	minimapFor = 10 * time.Minute
	mostMade   = 64
)

// made is a cache of pages or pictures. Concurrent requests for one key render it only once, and do not delay requests
// for other keys.
type made struct {
	fresh time.Duration
	mu    sync.Mutex
	kept  map[string]madeOnce
}

type madeOnce struct {
	at    time.Time
	bytes func() []byte
}

func (m *made) get(key string, now time.Time, render func() []byte) []byte {
	m.mu.Lock()
	maps.DeleteFunc(m.kept, func(_ string, one madeOnce) bool { return now.Sub(one.at) > m.fresh })
	one, kept := m.kept[key]
	if !kept {
		if m.kept == nil || len(m.kept) >= mostMade {
			m.kept = make(map[string]madeOnce)
		}
		one = madeOnce{now, sync.OnceValue(render)}
		m.kept[key] = one
	}
	m.mu.Unlock()
	return one.bytes()
}

// has reports whether the cache has an entry for a key that has not expired.
func (m *made) has(key string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, kept := m.kept[key]
	return kept && now.Sub(one.at) <= m.fresh
}

// once sends a page of lobbies and games. Visitors who see the same content share a copy for madeFor.
func (p *Pages) once(w http.ResponseWriter, f *frame, render func() []byte) {
	v := &f.Visitor
	key := fmt.Sprint(f.Nav, f.Path, f.Language, f.Theme, f.Packed, v.Level, v.Inside(), v.Outside, v.Name)
	p.write(w, http.StatusOK, f, p.made.get(key, f.Now, render))
}
