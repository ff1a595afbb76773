package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"w3host/formats/w3map"
	"w3host/texts"
	"w3host/web"
	"w3host/web/pages"
	"w3host/web/view"
)

// sheets are the templates of all pages.
var sheets = sync.OnceValue(func() map[string]*template.Template {
	names, err := fs.Glob(templates, "templates/*.html")
	if err != nil {
		panic(err)
	}
	all := make(map[string]*template.Template)
	for _, name := range names {
		if page := strings.TrimSuffix(path.Base(name), ".html"); page != "layout" && page != "parts" {
			all[page] = template.Must(template.New(page).Funcs(functions).ParseFS(templates, "templates/layout.html", "templates/parts.html", name))
		}
	}
	return all
})

var functions = template.FuncMap{
	"shown":   view.Visible,
	"plain":   plain,
	"clock":   texts.Clock,
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"minus":   func(n int) int { return -n },
	"before":  func(t time.Time) time.Time { return t.Add(-time.Second) },
	"profile": func(who string) string { return "/player/" + url.PathEscape(who) },
	"add":     func(a, b int) int { return a + b },
}

// plain is the name of a map or game without colours, as a page may show it.
func plain(s string) string { return view.Visible(w3map.Plain(s)) }

// frame holds the values that every page has.
type frame struct {
	*Info
	Title       string // for the tab and link previews
	Description string // for link previews
	Picture     string // the path of the picture for link previews; empty: none
	Nav         string // the part of the site that the page is in
	Path        string // without the language
	Query       string // the part of the query that the page knows, encoded
	Language    texts.Language
	Base        string
	Style       string // the path of the stylesheet
	Now         time.Time
	NoIndex     bool
	HasLadder   bool
	Console     bool // at the port of the console, where visitors can log in
	Data        any

	query  url.Values
	key    string // of the match, in its path
	slug   string // of the ladder, in its path
	who    string // NAME@REALM, in its path
	season string
}

// knownQuery are the parameters that pages know. Others change nothing, and are not part of a copy's id.
var knownQuery = []string{"before", "player", "from", "find"}

// mostQuery is how long a parameter may be, in bytes.
const mostQuery = 100

func (s *Site) frame(r *http.Request) *frame {
	f := &frame{
		Info: &s.opts.Info, Path: r.URL.Path, Base: s.opts.Base, Style: "/style/" + styleName(), Now: time.Now(), query: url.Values{},
		key: r.PathValue("key"), slug: r.PathValue("slug"), who: r.PathValue("who"), season: r.PathValue("season"), HasLadder: len(s.opts.Ladders()) > 0, NoIndex: !s.opts.Info.Index, Console: !web.Caller(r).Outside,
	}
	if rest, chinese := strings.CutPrefix(r.URL.Path, "/zh/"); chinese {
		f.Path, f.Language = "/"+rest, texts.Chinese
	}
	if len(r.URL.RawQuery) <= 8*mostQuery {
		for _, name := range knownQuery {
			if value := strings.TrimSpace(r.URL.Query().Get(name)); value != "" && len(value) <= mostQuery {
				f.query.Set(name, value)
			}
		}
	}
	f.Query = f.query.Encode()
	return f
}

// id is that of copies of the page.
func (f *frame) id() string { return fmt.Sprint(f.Console, f.Language, f.Path, "?", f.Query) }

// prefersChinese reports whether a browser that asks for the English page reads Chinese, and does not come from the site.
func (f *frame) prefersChinese(r *http.Request) bool {
	if from, err := url.Parse(r.Header.Get("Referer")); err == nil && from.Host == r.Host && r.Host != "" {
		return false
	}
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	l, err := texts.ParseLanguage(first)
	return err == nil && l == texts.Chinese
}

// L translates a label or sentence into the language of the page.
func (f *frame) L(english string, args ...any) string {
	return view.Visible(texts.Of(english, args...).In(f.Language))
}

// To is the address of a page of the site in the language of the page.
func (f *frame) To(path string) string {
	if f.Language == texts.Chinese {
		path = "/zh" + path
	}
	return f.Base + path
}

// Other is the address of the same page in the other language.
func (f *frame) Other() string {
	path := f.Path
	if f.Language != texts.Chinese {
		path = "/zh" + path
	}
	if f.Query != "" {
		path += "?" + f.Query
	}
	return f.Base + path
}

// Absolute is a path with the site's URL before it; empty where the site has none.
func (f *frame) Absolute(path string) string {
	if f.URL == "" {
		return ""
	}
	return f.URL + path
}

// Day is a date in the language of the page, with the year unless it is this one.
func (f *frame) Day(t time.Time) string {
	t = t.UTC()
	layout := map[bool]string{true: "2 Jan", false: "2 Jan 2006"}[t.Year() == f.Now.UTC().Year()]
	if f.Language == texts.Chinese {
		layout = map[bool]string{true: "1月2日", false: "2006年1月2日"}[t.Year() == f.Now.UTC().Year()]
	}
	return t.Format(layout)
}

// Moment is a time of today as hours, and of another day with its date.
func (f *frame) Moment(t time.Time) string {
	if f.Now.Sub(t) < 20*time.Hour {
		return t.UTC().Format("15:04")
	}
	return f.Day(t) + " " + t.UTC().Format("15:04")
}

// Number is a number with separators between thousands.
func (f *frame) Number(n int) string {
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	if n < 1000 {
		return sign + fmt.Sprint(n)
	}
	text := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n >= 1000; n /= 1000 {
		text = fmt.Sprintf("%03d,%s", n%1000, text)
	}
	return sign + fmt.Sprintf("%d,%s", n, text)
}

// render makes a page in the background.
func (s *Site) render(name string, f *frame, status int, keep time.Duration) (m *made, err error) {
	s.opts.Work(context.Background(), func() {
		var b bytes.Buffer
		if err = sheets()[name].ExecuteTemplate(&b, "layout", f); err == nil {
			m = finish(status, "text/html; charset=utf-8", b.Bytes(), keep)
			m.asOf = f.L("As of %s UTC. New results are being kept and will appear.", f.Now.UTC().Format("15:04"))
		}
	})
	return m, err
}

// gone is the page for whatever there is not, is private or hidden: the same for all.
func (s *Site) gone(f *frame) (*made, error) {
	one := &frame{Info: f.Info, Path: "/", Language: f.Language, Base: f.Base, Style: f.Style, Now: f.Now, NoIndex: true, Console: f.Console, HasLadder: f.HasLadder}
	one.Title = one.L("Not found")
	return s.render("gone", one, http.StatusNotFound, 0)
}

// style is the stylesheet of the console with the additions of the site.
var style = sync.OnceValues(func() (text []byte, name string) {
	text = bytes.Join([][]byte{pages.Stylesheet(), addedCSS}, []byte("\n"))
	return text, fmt.Sprintf("%x.css", sha256.Sum256(text))[:12] + ".css"
})

func styleName() string {
	_, name := style()
	return name
}

var stylePacked = sync.OnceValue(func() []byte {
	text, _ := style()
	return pages.PackSmall(text)
})

// style sends the stylesheet, whose name changes with it.
func (s *Site) style(w http.ResponseWriter, r *http.Request) {
	text, name := style()
	if r.PathValue("file") != name {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	if pages.TakesPacked(r) {
		w.Header().Set("Content-Encoding", "gzip")
		text = stylePacked()
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// part is a value for a template that is a part of a page.
type part struct {
	F         *frame
	Sides     []side
	List      []resultView
	ID, Title string
	Tallies   []tally
}

// Tallies is a table of a player's games for its template.
func (f *frame) Tallies(id, title string, list []tally) part {
	return part{F: f, ID: id, Title: title, Tallies: list}
}

// Results is a list of matches for its template.
func (f *frame) Results(list []resultView) part { return part{F: f, List: list} }

// In is the teams of a lobby for their template.
func (l lobbyView) In(f *frame) part { return part{F: f, Sides: l.Sides} }

// Picture is the last part of the address of the map's picture.
func (l lobbyView) Picture() string { return pictureName(l.File) }

// Picture is the last part of the address of the map's picture.
func (d *matchData) Picture() string { return pictureName(d.File) }
