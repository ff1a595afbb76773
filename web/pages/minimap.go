package pages

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"time"

	"w3host/web/view"
)

// minimap sends the picture of a map, or an empty picture if it cannot be drawn.
func (p *Pages) minimap(w http.ResponseWriter, r *http.Request) {
	file, now := r.PathValue("file"), time.Now()
	if !p.minimaps.has(file, now) && !p.opts.Visitor(r).Inside() && !p.isOpen(file) { // visitors without a login must not cause much drawing
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "max-age=600")
	_, _ = w.Write(p.minimaps.get(file, now, func() []byte { return p.draw(file) }))
}

// isOpen reports whether the public page shows a lobby with this map.
func (p *Pages) isOpen(file string) bool {
	values, _, _ := p.opts.Live.Open(view.Topic{Page: view.PublicPage})
	return slices.ContainsFunc(values.Value("lobbies").Rows, func(id string) bool {
		return values.Value("lobbies/"+id+"/minimap").Text == "/minimap/"+url.PathEscape(file)
	})
}

// draw returns the picture of a map as PNG. It draws one map at a time to bound CPU and memory use.
func (p *Pages) draw(file string) []byte {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	drawn, err := p.opts.Maps.Minimap(file)
	if err != nil {
		drawn = image.NewNRGBA(image.Rect(0, 0, 1, 1))
	}
	var b bytes.Buffer
	_ = png.Encode(&b, drawn)
	return b.Bytes()
}
