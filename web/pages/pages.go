// Package pages has the pages of an operator's browser, which are complete when they are
// served, and kept up to date while they are open. It has no rule: it shows facts and
// answers of the host, and its buttons give commands of the user who is logged in.
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

// How many pages an account may watch at the same time, in tabs that are on a screen, and a
// stranger's address.
const accountWatches, strangerWatches = 16, 4

// asked is how long a page waits for the database.
const asked = 2 * time.Second

// mostAsked is how many pages ask it at once.
const mostAsked = 4

// Options are the parts of the program that the pages show and change.
type Options struct {
	Live    *live.Live
	Command func(ctx context.Context, by command.Caller, order control.Order) control.Answer
	Log     Log
	Maps    Maps
	System  func() System
	// Examine makes the checks of w3host doctor.
	Examine func(ctx context.Context, report func(Finding)) error
	Access  *access.Store
	// Ordered is that of the window.
	Ordered func(ctx context.Context, action, on string, do func() error) error
	// Work is web.Server.Work.
	Work func(ctx context.Context, do func()) bool
	// Visitor tells who asks.
	Visitor func(*http.Request) Visitor
	// Base stands before each path.
	Base string
	// Upload takes a map of at most UploadMax bytes for the maps folder.
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

// Maps knows the maps that can be hosted.
type Maps interface {
	// List names the files that have the pattern in their name.
	List(pattern string) ([]string, error)
	// Files lists the files of the maps folder, also those that cannot be hosted.
	Files() ([]*catalogue.MapFile, error)
	// Minimap is the picture of a map of the folder.
	Minimap(file string) (image.Image, error)
}

// Proposal is a command that the chat box completes.
type Proposal struct {
	Name, Usage string
	Level       command.Level // who may use it
}

// Visitor describes the reader of a page.
type Visitor struct {
	Name  string // of the account; empty: nobody has logged in
	Addr  string // or the network of IPv6
	Level command.Level
	Still func() bool // reports whether the visitor is still the same; nil: always
	// Outside: at a port where nobody logs in.
	Outside bool
}

// Inside reports whether somebody has logged in.
func (v Visitor) Inside() bool { return v.Name != "" }

// Owns reports whether the visitor may command lobbies and games; what a command needs is
// its own.
func (v Visitor) Owns() bool { return v.Level >= command.Owner }

// Admin reports whether the visitor may see addresses.
func (v Visitor) Admin() bool { return v.Level >= command.Admin }

// Root reports whether the visitor may change who logs in.
func (v Visitor) Root() bool { return v.Level >= command.Root }

// reader returns how much the visitor may read of a game.
func (v Visitor) reader() view.Reader {
	switch {
	case v.Admin():
		return view.Admins
	case v.Owns():
		return view.Staff
	}
	return view.Viewers
}

// Pages are the handlers.
type Pages struct {
	opts     Options
	made     made       // pages of lobbies and games, by what they show and to whom
	minimaps made       // pictures of maps, by their files
	drawing  sync.Mutex // one at a time
	asking   web.Places // for questions to the database, so that a visitor who loads pages all the time keeps nobody waiting
	checking web.Places // one for the checks
}

// New makes the handlers.
func New(o Options) *Pages {
	return &Pages{
		opts: o, made: made{fresh: madeFor}, minimaps: made{fresh: minimapFor}, asking: make(web.Places, mostAsked), checking: make(web.Places, 1),
	}
}

// Route is a handler for a pattern of http.ServeMux, for callers with a role at least. The role that a
// command needs is not told here: the command knows.
type Route struct {
	Pattern string
	Role    access.Role
	Handler http.HandlerFunc
}

// Routes are all handlers.
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

// unknown answers for a path that is none of the others.
func (p *Pages) unknown(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		web.Fault(w, http.StatusNotFound, "not_found", "there is no such operation: /api/v1/openapi.json lists all")
		return
	}
	f := p.frame(r, "", "Not found")
	p.fault(w, http.StatusNotFound, f, f.L("there is no such page"))
}
