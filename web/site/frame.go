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

// plain returns the name of a map or game without colour codes, safe to show on a page.
func plain(s string) string { return view.Visible(w3map.Plain(s)) }

// frame holds the values that every page has.
type frame struct {
	*Info
	Title       string // for the tab and link previews
	Description string // for link previews
	Picture     string // path of the picture for link previews, or ""
	Nav         string // entry of the navigation bar to mark as current
	Path        string // path without the language prefix
	Query       string // encoded query with the parameters in knownQuery only
	Language    texts.Language
	Base        string
	Style       string // the path of the stylesheet
	Now         time.Time
	NoIndex     bool
	HasLadder   bool
	Console     bool // the request came to the web console's port, where visitors can log in
	Data        any

	site   *Site
	query  url.Values
	key    string // key of the match, from the path
	slug   string // slug of the ladder or map, from the path
	who    string // NAME@REALM, from the path
	season string
}

// knownQuery lists the query parameters that pages use. Others are ignored and are not part of the cache key.
var knownQuery = []string{"before", "player", "map", "from", "find"}

// mostQuery is the maximum length of a query parameter in bytes.
const mostQuery = 100

func (s *Site) frame(r *http.Request) *frame {
	f := &frame{
		site: s, Info: s.info(), Path: r.URL.Path, Base: s.opts.Base, Style: "/style/" + styleName(), Now: time.Now(), query: url.Values{},
		key: r.PathValue("key"), slug: r.PathValue("slug"), who: r.PathValue("who"), season: r.PathValue("season"), HasLadder: len(s.opts.Ladders()) > 0, NoIndex: !s.info().Index, Console: !web.Caller(r).Outside,
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

// id returns the cache key of the page.
func (f *frame) id() string { return fmt.Sprint(f.Console, f.Language, f.Path, "?", f.Query) }

// prefersChinese reports whether the browser's first language is Chinese and the request does not come from a link of
// this site.
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

// To returns the link to a page of the site in the current language.
func (f *frame) To(path string) string {
	if f.Language == texts.Chinese {
		path = "/zh" + path
	}
	return f.Base + path
}

// Other returns the link to the same page in the other language.
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

// Absolute returns the absolute URL of a path, or "" if the site's URL is not configured.
func (f *frame) Absolute(path string) string {
	if f.URL == "" {
		return ""
	}
	return f.URL + path
}

// Day formats a date in the language of the page. It omits the current year.
func (f *frame) Day(t time.Time) string {
	t = t.UTC()
	layout := map[bool]string{true: "2 Jan", false: "2 Jan 2006"}[t.Year() == f.Now.UTC().Year()]
	if f.Language == texts.Chinese {
		layout = map[bool]string{true: "1月2日", false: "2006年1月2日"}[t.Year() == f.Now.UTC().Year()]
	}
	return t.Format(layout)
}

// Moment formats a time in UTC as hours and minutes, with the date if it is 20 hours old or older.
func (f *frame) Moment(t time.Time) string {
	if f.Now.Sub(t) < 20*time.Hour {
		return t.UTC().Format("15:04")
	}
	return f.Day(t) + " " + t.UTC().Format("15:04")
}

// Number formats a number with thousands separators.
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

// render executes a page's template on a background thread and waits for the result.
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

// gone returns the "not found" page. It is the same for missing, private and hidden content, so that it reveals nothing.
func (s *Site) gone(f *frame) (*made, error) {
	one := &frame{site: s, Info: f.Info, Path: "/", Language: f.Language, Base: f.Base, Style: f.Style, Now: f.Now, NoIndex: true, Console: f.Console, HasLadder: f.HasLadder}
	one.Title = one.L("Not found")
	return s.render("gone", one, http.StatusNotFound, 0)
}

// style returns the stylesheet of the web console with the additions of the site, and its file name.
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

// style sends the stylesheet. Its name contains a hash of the content, so browsers may cache it forever.
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

// Of returns the arguments of the template for a link to the page of a map.
func (f *frame) Of(mapName string) part {
	return part{F: f, Title: plain(mapName), Link: f.site.mapLink(mapName)}
}

// Row returns the arguments of the template for a share of games won.
func (f *frame) Row(r rateRow) part { return part{F: f, Rate: r} }

// part holds the arguments of a partial template.
type part struct {
	F         *frame
	Sides     []side
	List      []resultView
	ID, Title string
	Link      string
	Tallies   []tally
	Rate      rateRow
}

// Tallies returns the arguments of the template for a table of a player's results.
func (f *frame) Tallies(id, title string, list []tally) part {
	return part{F: f, ID: id, Title: title, Tallies: list}
}

// Results returns the arguments of the template for a list of matches.
func (f *frame) Results(list []resultView) part { return part{F: f, List: list} }

// In returns the arguments of the template for the teams of a lobby.
func (l lobbyView) In(f *frame) part { return part{F: f, Sides: l.Sides} }

// Picture returns the file name of the map's picture.
func (l lobbyView) Picture() string { return pictureName(l.File) }

// Picture returns the file name of the map's picture.
func (d *matchData) Picture() string { return pictureName(d.File) }
