// Package site has the public site of a community: pages and feeds for everybody, without scripts and cookies. A page
// depends on nothing but its URL, so that one cached copy serves all. Pages are made in the background and read of the
// game log only what is public: see storage.PublicMatch.
package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/host"
	"w3host/storage"
	"w3host/web"
	"w3host/web/pages"
)

//go:embed templates
var templates embed.FS

//go:embed static/site.css
var addedCSS []byte

const (
	// askWithin is the time limit for rendering a page, and mostAsked the maximum number of concurrent database queries.
	askWithin = 2 * time.Second
	mostAsked = 4
	// playFor, pageFor and finalFor are for how long a browser or proxy may show a copy of the page with the lobbies, of
	// a page that changes and of a finished match. What is hidden or forgotten is gone within the longest of them.
	playFor  = 2 * time.Second
	pageFor  = time.Minute
	finalFor = 290 * time.Second
)

// Options configures a Site.
type Options struct {
	Log   Log
	Games func() []Game // the lobbies and running games of this host
	// Ladders returns the configured ladders, the main one first.
	Ladders func() []Ladder
	// Minimap returns the minimap of a file in the maps folder.
	Minimap func(file string) (image.Image, error)
	// FixedPlaces reports whether a map of the maps folder has fixed teams and places.
	FixedPlaces func(file string) bool
	// Work runs a function on a background thread, one at a time. It returns false if ctx ends first.
	Work   func(ctx context.Context, do func()) bool
	Base   string // path prefix of all pages
	Info   Info
	Logger zerolog.Logger
}

// Info describes the community.
type Info struct {
	Name    string
	URL     string  // absolute, without a trailing slash; "" disables link previews
	Address string  // for "w3host lan play"; "" hides it
	Host    string  // the name of the host in lists
	Version string  // of the game
	Realms  []Realm // on which lobbies are listed
	LAN     bool    // names that no realm has confirmed are shown
	Index   bool    // search engines may list the site
}

// Realm is a realm on which the lobbies are listed.
type Realm struct{ Name, Address string }

// Ladder is a table of ratings.
type Ladder struct {
	storage.Ladder
	Name string
}

// Game is a lobby or a running game.
type Game struct {
	host.Info
	Key  storage.GameKey
	Snap *game.Snapshot
}

// Log is the part of the game log that the site reads.
type Log interface {
	PublicMatches(context.Context, storage.PublicNames, storage.PublicFilter) ([]storage.PublicMatch, error)
	PublicGame(context.Context, storage.PublicNames, storage.GameKey) (*storage.PublicDetail, error)
	Hidden(context.Context) ([]string, error)
	LadderTable(ctx context.Context, slug string, season, limit int) ([]storage.LadderPlayer, error)
	LadderSeasons(ctx context.Context, slug string) ([]storage.LadderSeason, error)
	LadderCurve(ctx context.Context, slug string, season int, name, realm string, limit int) ([]storage.LadderPoint, error)
	LadderChanges(context.Context, storage.GameKey) ([]storage.LadderChange, error)
	LadderOf(ctx context.Context, name, realm string) ([]storage.LadderPlace, error)
	PublicMaps(context.Context) ([]storage.PublicMap, error)
	MapStats(ctx context.Context, sha1s []string, from, heroes int) (*storage.MapStats, error)
	MapRecords(ctx context.Context, sha1s []string) ([]storage.MapRecord, error)
}

// Site serves the public pages.
type Site struct {
	opts   Options
	pace   *web.Pace     // rate limit for pages that are not cached
	asking web.Semaphore // limits concurrent database queries
	pages  cache
	// described is Options.Info, or what Describe has replaced it with.
	described atomic.Pointer[Info]

	mu      sync.Mutex // guards the following fields
	hidden  map[string]bool
	hideAt  time.Time // when hidden was read
	latest  []storage.PublicMatch
	lateAt  time.Time // when latest was read
	tables  map[string]*board
	known   []knownMap
	knownAt time.Time // when known was read
}

// New returns a Site.
func New(o Options) *Site {
	s := &Site{opts: o, pace: web.NewPace(), asking: make(web.Semaphore, mostAsked), pages: cache{now: time.Now}}
	s.described.Store(&o.Info)
	return s
}

// Route is a handler for a pattern of http.ServeMux.
type Route struct {
	Pattern string
	Handler http.HandlerFunc
}

// Routes returns all routes. Pages are in English, and below /zh in Chinese.
func (s *Site) Routes() []Route {
	routes := []Route{
		{"GET /style/{file}", s.style},
		{"GET /picture/{size}/{file}", s.picture},
		{"GET /matches.atom", s.feed("application/atom+xml; charset=utf-8", s.atom)},
		{"GET /allgames", s.feed("application/json", s.allGames)},
		{"GET /gamelist", s.feed("application/json", s.gameList)},
		{"GET /robots.txt", s.feed("text/plain; charset=utf-8", s.robots)},
	}
	for _, zh := range []string{"", "/zh"} {
		routes = append(routes,
			Route{"GET " + zh + "/{$}", s.page(s.play)},
			Route{"GET " + zh + "/matches", s.page(s.matches)},
			Route{"GET " + zh + "/match/{key}", s.page(s.match)},
			Route{"GET " + zh + "/maps", s.page(s.mapList)},
			Route{"GET " + zh + "/map/{slug}", s.page(s.mapPage)},
			Route{"GET " + zh + "/ladder", s.mainLadder},
			Route{"GET " + zh + "/ladder/{slug}", s.page(s.ladder)},
			Route{"GET " + zh + "/ladder/{slug}/{season}", s.page(s.ladder)},
			Route{"GET " + zh + "/player", s.findPlayer},
			Route{"GET " + zh + "/player/{who}", s.page(s.player)},
			Route{"GET " + zh + "/player/{who}/{slug}", s.page(s.player)})
	}
	return routes
}

// errGone means that the page does not exist or is hidden.
var errGone = errors.New("no such page")

// made is a rendered page or feed.
type made struct {
	status int
	kind   string // its Content-Type
	body   []byte
	packed []byte // body compressed with gzip; nil if the body is small
	tag    string
	at     time.Time
	keep   time.Duration // how long copies may be shown
	asOf   string        // a sentence with the time of the page, for when it cannot be made anew; empty: none
}

// maker makes a page: it asks the database, and fills in the frame. It returns the name of the template, and how long copies of the
// page may be shown.
type maker func(ctx context.Context, f *frame) (name string, keep time.Duration, err error)

// page returns a handler that sends a page, from the cache if possible.
func (s *Site) page(do maker) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f := s.frame(r)
		if s.toChinese(w, r, f) {
			return
		}
		s.answer(w, r, f.id(), func(ctx context.Context) (*made, error) {
			name, keep, err := do(ctx, f)
			if errors.Is(err, errGone) || errors.Is(err, storage.ErrNotFound) {
				return s.gone(f)
			}
			if err != nil {
				return nil, err
			}
			return s.render(name, f, http.StatusOK, keep)
		})
	}
}

// feed returns a handler that sends a list for programs.
func (s *Site) feed(kind string, do func(ctx context.Context) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		s.answer(w, r, r.URL.Path, func(ctx context.Context) (*made, error) {
			body, err := do(ctx)
			if err != nil {
				return nil, err
			}
			keep := pageFor
			if strings.HasPrefix(kind, "application/json") {
				keep = playFor
			}
			return finish(http.StatusOK, kind, body, keep), nil
		})
	}
}

// toChinese sends a browser that reads Chinese from / to /zh/, unless it comes from a page of the site.
func (s *Site) toChinese(w http.ResponseWriter, r *http.Request, f *frame) bool {
	if r.URL.Path != "/" {
		return false
	}
	w.Header().Add("Vary", "Accept-Language")
	if !f.prefersChinese(r) {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.opts.Base+"/zh/", http.StatusSeeOther)
	return true
}

// answer sends the cached page of an id, or calls do to render it.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, id string, do func(context.Context) (*made, error)) {
	m, err := s.pages.get(r.Context(), id, func(ctx context.Context) (*made, error) {
		if !s.pace.Allow(r) {
			return nil, errPace
		}
		ctx, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		return do(ctx)
	})
	switch {
	case errors.Is(err, errPace):
		w.Header().Set("Retry-After", "1")
		web.WriteProblem(w, http.StatusTooManyRequests, "too_many_requests", "you ask too often: wait a second")
	case err != nil:
		s.opts.Logger.Warn().Err(err).Str("page", id).Msg("a public page cannot be made")
		w.Header().Set("Retry-After", "5")
		web.WriteProblem(w, http.StatusServiceUnavailable, "busy", "the game log does not answer: try again in a few seconds")
	default:
		m.send(w, r, s.pages.now())
	}
}

var errPace = errors.New("too many requests of an address")

// finish makes a page that can be cached and sent: it adds the ETag and the compressed form of body.
func finish(status int, kind string, body []byte, keep time.Duration) *made {
	sum := sha256.Sum256(body)
	m := &made{status: status, kind: kind, body: body, tag: fmt.Sprintf("%x", sum[:8]), keep: keep}
	if len(body) >= leastPacked {
		m.packed = pages.Pack(body)
	}
	return m
}

// leastPacked is the minimum size in bytes of a body to compress.
const leastPacked = 1400

func (m *made) send(w http.ResponseWriter, r *http.Request, now time.Time) {
	h := w.Header()
	h.Set("Content-Type", m.kind)
	h.Set("Content-Security-Policy", policy)
	h.Add("Vary", "Accept-Encoding")
	body, tag := m.body, m.tag
	if m.packed != nil && pages.TakesPacked(r) {
		h.Set("Content-Encoding", "gzip")
		body, tag = m.packed, tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	switch from := web.Caller(r); {
	case (r.URL.Path == "/" || r.URL.Path == "/maps") && !from.Outside: // logged-in visitors see another page there
		h.Set("Cache-Control", "no-store")
	case m.keep < pageFor:
		h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(m.keep.Seconds())))
	default:
		h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(m.keep.Seconds())))
		if m.keep == pageFor {
			h.Set("Cache-Control", h.Get("Cache-Control")+", stale-while-revalidate=60")
		}
		h.Set("Age", fmt.Sprint(int(now.Sub(m.at).Seconds())))
	}
	if m.status != http.StatusOK {
		w.WriteHeader(m.status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(body)
		}
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// policy is the Content-Security-Policy of the pages, which use no scripts.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ask calls do, which queries the database, once fewer than mostAsked queries run. It returns an error if ctx ends first.
func (s *Site) ask(ctx context.Context, do func() error) (err error) {
	if !s.asking.Take(ctx, func() { err = do() }) {
		err = ctx.Err()
	}
	return err
}

func (s *Site) names() storage.PublicNames { return storage.PublicNames{LAN: s.info().LAN} }

func (s *Site) info() *Info { return s.described.Load() }

// Describe replaces the description of the community. Pages made before are made anew.
func (s *Site) Describe(info Info) {
	s.described.Store(&info)
	s.pages.clear()
}
