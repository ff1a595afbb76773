package pages

import (
	"sync"
	"time"
)

// publicFor is how long one page serves all strangers who ask for it.
const publicFor = time.Second

// made are pages that are made once a second, however often strangers ask for them.
type made struct {
	mu    sync.Mutex
	at    time.Time
	pages map[string][]byte
}

func (m *made) page(key string, now time.Time, render func() []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.at) > publicFor {
		m.at, m.pages = now, make(map[string][]byte)
	}
	page, there := m.pages[key]
	if !there {
		page = render()
		m.pages[key] = page
	}
	return page
}
