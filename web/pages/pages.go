// Package pages is what an operator's browser shows: pages that are whole when they come, and
// that live while they are open. It has no rule: what it shows are facts and answers of the
// host, and what its buttons do are commands of whoever is logged in.
package pages

import (
	"context"
	"embed"
	"image"
	"io"
	"net/http"
	"strings"
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

// Options are what the pages show and act on.
type Options struct {
	Live    *live.Live
	Command func(ctx context.Context, by command.Caller, order control.Order) control.Answer
	Log     Log
	Maps    Maps
	System  func() System
	// Examine makes the checks of w3host doctor.
	Examine func(ctx context.Context, tell func(Finding)) error
	Access  *access.Store
	// Ordered does something to what lets people in, in the name of who asks, and writes it down.
	Ordered func(r *http.Request, action, on string, do func() error) error
	// Visitor tells who asks.
	Visitor func(*http.Request) Visitor
	// Base is what stands before each path; empty: nothing.
	Base string
	// Upload takes a map of at most UploadMax bytes; replace is "*" if it may take the place of
	// another.
	Upload    func(r *http.Request, name, replace string, file io.Reader) error
	UploadMax int64
	// Trigger begins a command in the chat box, which proposes Commands.
	Trigger  string
	Commands []Proposal
	Logger   zerolog.Logger
}

// Log is what pages read of the game log.
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

// Visitor is who asks for a page.
type Visitor struct {
	Name  string // of the account; empty: nobody has logged in
	Addr  string // or the network of IPv6
	Level command.Level
	Still func() bool // is who it was; nil: always
	// Outside: at a port where nobody logs in.
	Outside bool
}

// inside reports whether somebody has logged in.
func (v Visitor) inside() bool { return v.Name != "" }

// reader is what the visitor may read of a game.
func (v Visitor) reader() view.Reader {
	switch {
	case v.Level >= command.Admin:
		return view.Admins
	case v.Level >= command.Owner:
		return view.Staff
	}
	return view.Viewers
}

// Pages are the handlers.
type Pages struct {
	opts     Options
	minimaps minimaps
	made     made          // pages of lobbies and games, by what they show and to whom
	asking   chan struct{} // has a place for each question to the database
	checking chan struct{} // and one for the checks
}

// New makes the handlers.
func New(o Options) *Pages {
	return &Pages{opts: o, asking: make(chan struct{}, mostAsked), checking: make(chan struct{}, 1)}
}

// Need is who may ask for something.
type Need uint8

// Needs.
const (
	Everybody Need = iota
	Viewers        // who has logged in
	Admins
	Roots
)

// Route is a handler for a pattern of http.ServeMux. What a command needs is not told here:
// the command knows.
type Route struct {
	Pattern string
	Need    Need
	Handler http.HandlerFunc
}

// Routes are all handlers.
func (p *Pages) Routes() []Route {
	return []Route{
		{"GET /static/", Everybody, p.static},
		{"GET /public", Everybody, p.public},
		{"GET /events", Everybody, p.events},
		{"GET /minimap/{file}", Everybody, p.minimap},
		{"POST /preferences", Everybody, p.prefer},
		{"GET /{$}", Viewers, p.games},
		{"GET /games/{id}", Viewers, p.game},
		{"POST /games/{id}/commands", Viewers, p.command},
		{"POST /commands", Viewers, p.command},
		{"POST /lobbies", Viewers, p.open},
		{"POST /bans", Viewers, p.ban},
		{"GET /maps", Viewers, p.maps},
		{"POST /maps", Admins, p.upload},
		{"GET /system", Admins, p.system},
		{"GET /checks", Admins, p.checks},
		{"GET /autohost", Admins, p.autohost},
		{"GET /realms", Admins, p.realms},
		{"GET /audit", Admins, p.audit},
		{"GET /access", Roots, p.access},
		{"POST /access", Roots, p.changeAccess},
		{"GET /history", Viewers, p.history},
		{"GET /history/{key}", Viewers, p.record},
		{"GET /players", Viewers, p.findPlayer},
		{"GET /players/{name}", Viewers, p.player},
		{"GET /bans", Admins, p.bans},
		{"GET /", Everybody, p.unknown},
	}
}

// unknown answers for a path that is none of the others.
func (p *Pages) unknown(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		web.Fault(w, http.StatusNotFound, "not_found", "there is no such operation: /api/v1/openapi.json lists all")
		return
	}
	f := p.frame(r, "", "Not found")
	f.Data = f.L("there is no such page")
	p.show(w, http.StatusNotFound, "fault", f)
}
