package pages

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"w3host/web/view"
)

const (
	// minimapsKept pictures are kept in memory, some 60 KB each.
	minimapsKept = 64
	// minimapFor is how long one is shown before the map is looked at again.
	minimapFor = 10 * time.Minute
)

// minimaps are the pictures that were asked for last.
type minimaps struct {
	mu   sync.Mutex
	made map[string]picture
	work sync.Mutex // one map is read at a time
}

type picture struct {
	png  []byte
	made time.Time
}

func (m *minimaps) get(file string) (picture, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.made[file]
	return p, ok && time.Since(p.made) < minimapFor
}

func (m *minimaps) keep(file string, p picture) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil || len(m.made) >= minimapsKept {
		m.made = make(map[string]picture)
	}
	m.made[file] = p
}

// minimap shows the picture of a map, or an empty one.
func (p *Pages) minimap(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	shown, ok := p.minimaps.get(file)
	if !ok {
		if !p.opts.Visitor(r).inside() && !p.isOpen(file) { // else strangers keep a core busy
			http.NotFound(w, r)
			return
		}
		shown = p.draw(file)
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "max-age=600")
	_, _ = w.Write(shown.png)
}

// isOpen reports whether the page for everybody has a lobby with a map.
func (p *Pages) isOpen(file string) bool {
	values, _, _ := p.opts.Live.Open(view.Topic{Page: view.PublicPage})
	return slices.ContainsFunc(values.Value("lobbies").Rows, func(id string) bool {
		return values.Value("lobbies/"+id+"/minimap").Text == "/minimap/"+url.PathEscape(file)
	})
}

func (p *Pages) draw(file string) picture {
	p.minimaps.work.Lock()
	defer p.minimaps.work.Unlock()
	if shown, ok := p.minimaps.get(file); ok { // meanwhile
		return shown
	}
	drawn, err := p.opts.Maps.Minimap(file)
	if err != nil {
		drawn = image.NewNRGBA(image.Rect(0, 0, 1, 1))
	}
	var b bytes.Buffer
	_ = png.Encode(&b, drawn)
	made := picture{b.Bytes(), time.Now()}
	p.minimaps.keep(file, made)
	return made
}
