package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"w3host/texts"
	"w3host/web"
	"w3host/web/live"
	"w3host/web/view"
)

// sheets are the templates of all pages, and tag is the ETag of all static files. Both are embedded in the program.
var (
	sheets = sync.OnceValue(func() map[string]*template.Template {
		pages := make(map[string]*template.Template)
		for _, name := range must(fs.Glob(templates, "templates/*.html")) {
			if page := strings.TrimSuffix(path.Base(name), ".html"); page != "layout" && page != "parts" {
				pages[page] = template.Must(template.New(page).Funcs(functions).ParseFS(templates, "templates/layout.html", "templates/parts.html", name))
			}
		}
		return pages
	})
	tag = sync.OnceValue(func() string {
		sum := sha256.New()
		for _, name := range must(fs.Glob(static, "static/*")) {
			_, _ = sum.Write(must(static.ReadFile(name)))
		}
		return fmt.Sprintf("%x", sum.Sum(nil)[:8])
	})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// frame holds the values that every page has.
type frame struct {
	Title    string
	Nav      string // entry of the navigation bar to mark as current
	Path     string
	Language texts.Language
	Theme    string // "dark", "light", or "" for the browser's preference
	Visitor
	Base   string
	Topic  string // topic that the page watches, or ""
	Packed bool   // the page is sent compressed
	Fleet  bool   // this host belongs to a fleet
	After  string // id of the last patch included in Values
	Now    time.Time
	Values view.Values
	Data   any
}

// frame returns the values of a page for a request, without those of a topic and Data.
func (p *Pages) frame(r *http.Request, nav, title string) *frame {
	f := &frame{
		Nav: nav, Path: r.URL.Path, Language: web.Language(r), Theme: web.Theme(r), Visitor: p.opts.Visitor(r),
		Base: p.opts.Base, Packed: TakesPacked(r), Fleet: p.opts.Live.InFleet(), Now: time.Now(),
	}
	f.Title = f.L(title)
	return f
}

// open sets the current values of a topic and makes the page watch it. It returns false if there is no such game.
func (f *frame) open(l *live.Live, t view.Topic) (ok bool) {
	t.Language = f.Language
	if t.Page == view.GamePage {
		t.Reader = f.Visitor.reader()
	}
	if f.Values, f.After, ok = l.Open(t); ok {
		f.Topic = t.String()
	}
	return ok
}

// show sends the page with this name and its data.
func (p *Pages) show(w http.ResponseWriter, f *frame, name string, data any) {
	f.Data = data
	p.write(w, http.StatusOK, f, p.render(name, f))
}

// fault sends an error page with the reason why.
func (p *Pages) fault(w http.ResponseWriter, status int, f *frame, why string) {
	f.Data = why
	p.write(w, status, f, p.render("fault", f))
}

// render returns a page, compressed if the browser accepts that, or nil after it has logged an error.
func (p *Pages) render(name string, f *frame) []byte {
	var (
		b    bytes.Buffer
		err  error
		page []byte
	)
	p.opts.Work(context.Background(), func() {
		err = sheets()[name].ExecuteTemplate(&b, "layout", f)
		if page = b.Bytes(); f.Packed && len(page) >= least {
			page = Pack(page)
		}
	})
	if err != nil {
		p.opts.Logger.Error().Err(err).Str("page", name).Msg("page cannot be made")
		return nil
	}
	return page
}

func (p *Pages) write(w http.ResponseWriter, status int, f *frame, page []byte) {
	if page == nil {
		http.Error(w, "this page cannot be made; the log says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding")
	if f.Packed && bytes.HasPrefix(page, []byte("\x1f\x8b")) {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(status)
	_, _ = w.Write(page)
}
