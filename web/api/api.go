// Package api is the window for programs: /api/v1, described by an OpenAPI file that is
// made from the types here. It shows facts of the host and its database; its
// actions are commands, which answer as they do everywhere.
package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"w3host/control"
	"w3host/formats/catalogue"
	"w3host/game/command"
	"w3host/host"
	"w3host/storage"
	"w3host/web"
	"w3host/web/access"
)

const (
	prefix  = "/api/v1"
	maxBody = 64 << 10 // bytes
	// askWithin is how long the database or a game may take for an answer.
	askWithin = 2 * time.Second
	// mostAsked is how many questions to the database are on their way at once.
	mostAsked = 2
)

// Options are the parts of the program that the API uses.
type Options struct {
	Host  *host.Host
	Order func(context.Context, command.Caller, control.Order) control.Answer
	Seen  func(id uint32) control.Seen
	Maps  Maps
	// Upload takes a file for the maps folder.
	Upload func(*http.Request, web.Upload) (e *catalogue.MapFile, replaced bool, err error)
	Realms func() map[string]bool
	// Fleet tells of all hosts that share the database and of the lobbies and games of the others; nil: this host is alone.
	Fleet   func(context.Context) ([]storage.FleetHost, []storage.FleetGame, error)
	DB      *storage.Store
	Replays string // their folder
	Access  *access.Store
	Events  *Events
	Version string
	// Ordered is that of the window.
	Ordered func(ctx context.Context, action, on string, do func() error) error
}

// api answers.
type api struct {
	Options
	started time.Time
	asking  web.Places                                // for questions to the database
	work    func(ctx context.Context, do func()) bool // web.Server.Work
	games   cached[[]host.Info]
	public  cached[[]byte]
}

// Register has the window answer for programs. It returns the handler of status.json, for a port
// outside of the window.
func Register(s *web.Server, o Options) (status http.Handler) {
	a := &api{Options: o, started: time.Now(), asking: make(web.Places, mostAsked), work: s.Work}
	if a.Fleet == nil {
		a.Fleet = func(context.Context) ([]storage.FleetHost, []storage.FleetGame, error) { return nil, nil, nil }
	}
	pace := web.NewPace()
	a.routes(describe(door{s, pace, &answers{of: make(map[access.Who][]*kept)}}))
	s.Handle("GET "+prefix+"/history/{key}/replay", access.Moderator, pace.Paced(http.HandlerFunc(a.getReplay)))
	s.Handle("PUT "+prefix+"/maps/{name}", access.Admin, pace.Paced(http.HandlerFunc(a.putMap)))
	s.Handle("GET "+prefix+"/events", access.Viewer, pace.Paced(http.HandlerFunc(o.Events.serve)))
	status = pace.Paced(http.HandlerFunc(a.status))
	s.Handle("GET /status.json", access.Public, status)
	return status
}

// door registers the operations that huma describes. Roles are checked behind it, see allow.
type door struct {
	s    *web.Server
	pace *web.Pace
	kept *answers
}

func (d door) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	d.s.Handle(pattern, access.Public, d.pace.Paced(d.kept.once(h)))
}

func (d door) ServeHTTP(http.ResponseWriter, *http.Request) {}

// The library has one way to make errors for all APIs of a process.
func init() { huma.NewError = newProblem }

// describe makes an API without operations.
func describe(mux humago.Mux) huma.API {
	c := huma.DefaultConfig("w3host", "1")
	c.Info.Description = "A host of Warcraft III games: what it shows, and its commands. Tokens are made with w3host web token."
	c.Servers = []*huma.Server{{URL: prefix}}
	c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", nil // the one loads a script from elsewhere, the others add links to every answer
	c.RejectUnknownQueryParameters = true
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	return humago.NewWithPrefix(mux, prefix, c)
}

// byToken is how callers of an operation show who they are.
var byToken = []map[string][]string{{"token": {}}}

// operation adds one, for callers with a role.
func operation[I, O any](to huma.API, role access.Role, method, path, id, summary string, h func(context.Context, *I) (*O, error)) {
	o := huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary, MaxBodyBytes: maxBody,
		Errors:     []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Extensions: map[string]any{"x-role": role.String()},
	}
	if role > access.Public {
		o.Security = byToken
	}
	if method == http.MethodPost {
		o.Description = "With an Idempotency-Key the request may be sent again within ten minutes: it is carried out once, and answered the same."
		o.Parameters = []*huma.Param{{Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	o.Middlewares = huma.Middlewares{func(ctx huma.Context, next func(huma.Context)) {
		if p := allow(web.CallerOf(ctx.Context()), role); p != nil {
			_ = huma.WriteErr(to, ctx, p.Status, p.Detail, p)
			return
		}
		next(ctx)
	}}
	huma.Register(to, o, h)
}

// document adds an operation that huma does not carry out to the file, with its faults by their status.
func document(to huma.API, role access.Role, o *huma.Operation, faults map[string]string) {
	o.Security, o.Extensions = byToken, map[string]any{"x-role": role.String()}
	schema := to.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem](), true, "")
	for status, what := range faults {
		o.Responses[status] = &huma.Response{Description: what, Content: map[string]*huma.MediaType{"application/problem+json": {Schema: schema}}}
	}
	to.OpenAPI().AddOperation(o)
}

// allow is the problem that keeps a caller from an operation; nil: none.
func allow(who web.From, role access.Role) *problem {
	switch {
	case who.Role >= role:
		return nil
	case who.Role == access.Public:
		return fault(http.StatusUnauthorized, "unauthorized", "this needs a login or a token")
	}
	return fault(http.StatusForbidden, "forbidden", "this needs the role "+role.String()+"; yours is "+who.Role.String())
}

// problem is an answer that says why something was not done.
type problem struct {
	web.Problem
	Errors []*huma.ErrorDetail `json:"errors,omitempty" doc:"All faults of the request at once"`
	Lines  []string            `json:"lines,omitempty" doc:"What a command answered before it was refused"`
}

func (p *problem) Error() string             { return p.Detail }
func (p *problem) GetStatus() int            { return p.Status }
func (p *problem) ContentType(string) string { return "application/problem+json" }

func fault(status int, code, detail string) *problem {
	return &problem{Problem: web.Problem{Title: http.StatusText(status), Status: status, Code: code, Detail: detail}}
}

// newProblem makes one of the errors that huma has found.
func newProblem(status int, detail string, faults ...error) huma.StatusError {
	if len(faults) == 1 {
		if p, ok := faults[0].(*problem); ok {
			return p
		}
	}
	p := fault(status, strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_"), detail)
	for _, f := range faults {
		if d, ok := f.(huma.ErrorDetailer); ok {
			p.Errors = append(p.Errors, d.ErrorDetail())
		} else if f != nil {
			p.Errors = append(p.Errors, &huma.ErrorDetail{Message: f.Error()})
		}
	}
	return p
}
