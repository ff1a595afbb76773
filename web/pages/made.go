package pages

import (
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// madeFor is how long one page serves all who ask for it, minimapFor how long one picture of a map does before the map
// is looked at again, and mostMade how many are kept of each, of pictures some 60 KB.
const (
	madeFor    = time.Second
	minimapFor = 10 * time.Minute
	mostMade   = 64
)

// made are pages or pictures that are made once in a while, however often they are asked for. While one is made, others
// are answered.
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

// has reports whether one is kept that still serves.
func (m *made) has(key string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, kept := m.kept[key]
	return kept && now.Sub(one.at) <= m.fresh
}

// once makes a page of lobbies and games once a second for all who are shown the same.
func (p *Pages) once(w http.ResponseWriter, f *frame, render func() []byte) {
	v := &f.Visitor
	key := fmt.Sprint(f.Nav, f.Path, f.Language, f.Theme, f.Packed, v.Level, v.Inside(), v.Outside, v.Name)
	p.write(w, http.StatusOK, f, p.made.get(key, f.Now, render))
}
