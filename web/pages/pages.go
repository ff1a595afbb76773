// Package pages serves the pages of the web console. A page is complete without scripts, and scripts keep it up to date
// while it is open. The package makes no decisions about games: its buttons run commands on behalf of the logged-in user.
package pages

import (
	"context"
	"embed"
	"image"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/control"
	"w3host/formats/catalogue"
	"w3host/game/command"
	"w3host/storage"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/live"
	"w3host/web/view"
)

//go:embed static
var static embed.FS

//go:embed templates
var templates embed.FS

// accountWatches and strangerWatches are the maximum numbers of pages that an account, and an IP address without login, may
// watch at the same time. Hidden browser tabs do not count.
const accountWatches, strangerWatches = 16, 4

// asked is the time limit for database queries of a page.
const asked = 2 * time.Second

// mostAsked is the maximum number of pages that query the database concurrently.
const mostAsked = 4

// Options are the parts of the program that the pages show and change.
type Options struct {
	Live    *live.Live
	Command func(ctx context.Context, by command.Caller, order control.Order) control.Answer
	Log     Log
	Maps    Maps
	System  func() System
	// Examine runs the checks of "w3host doctor" and reports each result.
	Examine func(ctx context.Context, report func(Finding)) error
	Access  *access.Store
	// Ordered runs an administrative action and writes it to the audit log.
	Ordered func(ctx context.Context, action, on string, do func() error) error
	// Work is web.Server.Work.
	Work func(ctx context.Context, do func()) bool
	// Visitor returns the visitor who sent a request.
	Visitor func(*http.Request) Visitor
	// Base is the path prefix of all pages.
	Base string
	// Upload stores a map of at most UploadMax bytes in the maps folder.
	Upload    func(*http.Request, web.Upload) (e *catalogue.MapFile, replaced bool, err error)
	UploadMax int64
	// Trigger begins a command in the chat box, which proposes Commands.
	Trigger  string
	Commands []Proposal
	Logger   zerolog.Logger
}

// Log is the part of the game log that pages read.
type Log interface {
	Games(context.Context, storage.GameFilter) ([]storage.Game, error)
	Game(context.Context, storage.GameKey) (*storage.GameDetail, error)
	PlayerStats(ctx context.Context, name string) ([]storage.PlayerStats, error)
	Namesakes(ctx context.Context, name string, limit int) ([]string, error)
	RatingsOf(ctx context.Context, name, mapName string) ([]storage.Rating, error)
	Bans(ctx context.Context, all bool) ([]storage.Ban, error)
	Admins(context.Context) ([]storage.Admin, error)
	AuditLog(ctx context.Context, before time.Time, limit int) (lines []storage.AdminAction, older time.Time, err error)
}

// Maps gives access to the maps folder.
type Maps interface {
	// List returns the files whose names contain the pattern.
	List(pattern string) ([]string, error)
	// Files returns all map files, including those that cannot be hosted.
	Files() ([]*catalogue.MapFile, error)
	// Minimap returns the minimap of a map file.
	Minimap(file string) (image.Image, error)
}

// Proposal is a command that the chat box completes.
type Proposal struct {
	Name, Usage string
	Level       command.Level // minimum level of its callers
}

// Visitor describes the reader of a page.
type Visitor struct {
	Name         string // account name; "" without login
	Addr         string // IPv4 address or IPv6 network
	Level        command.Level
	SessionValid func() bool // reports whether the login is still valid; nil means always
	// Outside is set at a port without login.
	Outside bool
}

// Inside reports whether the visitor has logged in.
func (v Visitor) Inside() bool { return v.Name != "" }

// Owns reports whether the visitor may command lobbies and games. Each command checks its own required level.
func (v Visitor) Owns() bool { return v.Level >= command.Owner }

// Admin reports whether the visitor may see IP addresses.
func (v Visitor) Admin() bool { return v.Level >= command.Admin }

// Root reports whether the visitor may manage accounts and tokens.
func (v Visitor) Root() bool { return v.Level >= command.Root }

// reader returns the level of detail that the visitor may see of a game.
func (v Visitor) reader() view.Reader {
	switch {
	case v.Admin():
		return view.Admins
	case v.Owns():
		return view.Staff
	}
	return view.Viewers
}

// Pages holds the HTTP handlers and their caches.
type Pages struct {
	opts     Options
	made     made          // pages of lobbies and games, by what they show and to whom
	minimaps made          // pictures of maps, by their files
	drawing  sync.Mutex    // one at a time
	asking   web.Semaphore // limits concurrent database queries
	checking web.Semaphore // allows one run of the checks at a time
}

// New returns the Pages with these options.
func New(o Options) *Pages {
	return &Pages{
		opts: o, made: made{fresh: madeFor}, minimaps: made{fresh: minimapFor}, asking: make(web.Semaphore, mostAsked), checking: make(web.Semaphore, 1),
	}
}

// Route is a handler for a pattern of http.ServeMux. Role is the minimum role of callers; commands also check their own
// required level.
type Route struct {
	Pattern string
	Role    access.Role
	Handler http.HandlerFunc
}

// Routes returns the routes of all pages.
func (p *Pages) Routes() []Route {
	return []Route{
		{"GET /static/", access.Public, p.static},
		{"GET /public", access.Public, p.lobbies(view.PublicPage, "Open lobbies")},
		{"GET /events", access.Public, p.events},
		{"GET /minimap/{file}", access.Public, p.minimap},
		{"POST /preferences", access.Public, form(p.prefer)},
		{"GET /{$}", access.Viewer, p.lobbies(view.GamesPage, "Games")},
		{"GET /games/{id}", access.Viewer, p.game},
		{"POST /games/{id}/commands", access.Viewer, form(p.command)},
		{"POST /commands", access.Viewer, form(p.command)},
		{"POST /lobbies", access.Viewer, form(p.open)},
		{"POST /bans", access.Viewer, form(p.ban)},
		{"GET /maps", access.Viewer, p.maps},
		{"POST /maps", access.Admin, p.upload},
		{"GET /system", access.Admin, p.system},
		{"GET /checks", access.Admin, p.checks},
		{"GET /autohost", access.Admin, p.answered("autohost", "Autohost")},
		{"GET /realms", access.Admin, p.answered("realms", "Realms")},
		{"GET /audit", access.Admin, p.audit},
		{"GET /access", access.Root, p.access},
		{"POST /access", access.Root, form(p.changeAccess)},
		{"GET /history", access.Viewer, p.history},
		{"GET /history/{key}", access.Viewer, p.record},
		{"GET /players", access.Viewer, p.findPlayer},
		{"GET /players/{name}", access.Viewer, p.player},
		{"GET /bans", access.Admin, p.bans},
		{"GET /", access.Public, p.unknown},
	}
}

// unknown sends the error page for paths without a handler.
func (p *Pages) unknown(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		web.WriteProblem(w, http.StatusNotFound, "not_found", "there is no such operation: /api/v1/openapi.json lists all")
		return
	}
	f := p.frame(r, "", "Not found")
	p.fault(w, http.StatusNotFound, f, f.L("there is no such page"))
}
