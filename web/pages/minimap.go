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

// minimap shows the picture of a map, or an empty one.
func (p *Pages) minimap(w http.ResponseWriter, r *http.Request) {
	file, now := r.PathValue("file"), time.Now()
	if !p.minimaps.has(file, now) && !p.opts.Visitor(r).Inside() && !p.isOpen(file) { // else strangers keep a core busy
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "max-age=600")
	_, _ = w.Write(p.minimaps.get(file, now, func() []byte { return p.draw(file) }))
}

// isOpen reports whether the page for everybody has a lobby with a map.
func (p *Pages) isOpen(file string) bool {
	values, _, _ := p.opts.Live.Open(view.Topic{Page: view.PublicPage})
	return slices.ContainsFunc(values.Value("lobbies").Rows, func(id string) bool {
		return values.Value("lobbies/"+id+"/minimap").Text == "/minimap/"+url.PathEscape(file)
	})
}

// draw reads one map at a time.
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
