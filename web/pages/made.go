package pages

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// madeFor is how long one page serves all who ask for it, and mostMade how many are kept.
const (
	madeFor  = time.Second
	mostMade = 64
)

// made are pages that are rendered once a second, however often they are asked for. While one is rendered, others are
// answered.
type made struct {
	mu    sync.Mutex
	at    time.Time
	pages map[string]func() []byte
}

func (m *made) page(key string, now time.Time, render func() []byte) []byte {
	m.mu.Lock()
	if now.Sub(m.at) > madeFor || m.pages[key] == nil && len(m.pages) >= mostMade {
		m.at, m.pages = now, make(map[string]func() []byte)
	}
	if m.pages[key] == nil {
		m.pages[key] = sync.OnceValue(render)
	}
	page := m.pages[key]
	m.mu.Unlock()
	return page()
}

// once makes a page of lobbies and games once a second for all who are shown the same.
func (p *Pages) once(w http.ResponseWriter, f *frame, render func() []byte) {
	v := &f.Visitor
	key := fmt.Sprint(f.Nav, f.Path, f.Language, f.Theme, f.Packed, v.Level, v.inside(), v.Outside, v.Name)
	p.write(w, http.StatusOK, f, p.made.page(key, f.Now, render))
}
