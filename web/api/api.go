// Package api serves the HTTP API under /api/v1. Its OpenAPI description is generated from the
// types in this package. It returns facts of the host and its database; its actions are the same
// commands as in the chat.
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
	// askWithin is the time limit for an answer of the database or a game.
	askWithin = 2 * time.Second
	// mostAsked is the maximum number of concurrent database queries.
	mostAsked = 2
)

// Options are the parts of the program that the API uses.
type Options struct {
	Host  *host.Host
	Order func(context.Context, command.Caller, control.Order) control.Answer
	Seen  func(id uint32) control.Seen
	Maps  Maps
	// Upload stores a map in the maps folder.
	Upload func(*http.Request, web.Upload) (e *catalogue.MapFile, replaced bool, err error)
	Realms func() map[string]bool
	// Fleet returns all hosts that share the database, and the lobbies and games of the others. It
	// is nil without other hosts.
	Fleet   func(context.Context) ([]storage.FleetHost, []storage.FleetGame, error)
	DB      *storage.Store
	Replays string // their folder
	Access  *access.Store
	Events  *Events
	Version string
	// Ordered runs an administrative action and writes it to the audit log, see web.Server.Ordered.
	Ordered func(ctx context.Context, action, on string, do func() error) error
}

// api holds the handlers of the operations.
type api struct {
	Options
	started time.Time
	asking  web.Semaphore                             // for questions to the database
	work    func(ctx context.Context, do func()) bool // web.Server.Work
	games   cached[[]host.Info]
	public  cached[[]byte]
}

// Register registers the API with the server. It returns the handler of status.json, which the
// public port serves as well.
func Register(s *web.Server, o Options) (status http.Handler) {
	a := &api{Options: o, started: time.Now(), asking: make(web.Semaphore, mostAsked), work: s.Work}
	if a.Fleet == nil {
		a.Fleet = func(context.Context) ([]storage.FleetHost, []storage.FleetGame, error) { return nil, nil, nil }
	}
	pace := web.NewPace()
	a.routes(describe(muxAdapter{s, pace, &answers{of: make(map[access.Identity][]*kept)}}))
	s.Handle("GET "+prefix+"/history/{key}/replay", access.Moderator, pace.Paced(http.HandlerFunc(a.getReplay)))
	s.Handle("PUT "+prefix+"/maps/{name}", access.Admin, pace.Paced(http.HandlerFunc(a.putMap)))
	s.Handle("GET "+prefix+"/events", access.Viewer, pace.Paced(http.HandlerFunc(o.Events.serve)))
	status = pace.Paced(http.HandlerFunc(a.status))
	s.Handle("GET /status.json", access.Public, status)
	return status
}

// muxAdapter lets huma register its operations with the web server. It admits all callers; each
// operation checks its own role, see allow.
type muxAdapter struct {
	s    *web.Server
	pace *web.Pace
	kept *answers
}

func (d muxAdapter) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	d.s.Handle(pattern, access.Public, d.pace.Paced(d.kept.idempotent(h)))
}

func (d muxAdapter) ServeHTTP(http.ResponseWriter, *http.Request) {}

// huma has one constructor of errors for all APIs of a process.
func init() { huma.NewError = newProblem }

// describe returns an API without operations.
func describe(mux humago.Mux) huma.API {
	c := huma.DefaultConfig("w3host", "1")
	c.Info.Description = "A host of Warcraft III games: what it shows, and its commands. Tokens are made with w3host web token."
	c.Servers = []*huma.Server{{URL: prefix}}
	c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", nil // the one loads a script from elsewhere, the others add links to every answer
	c.RejectUnknownQueryParameters = true
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	return humago.NewWithPrefix(mux, prefix, c)
}

// byToken is the security requirement of operations: an API token.
var byToken = []map[string][]string{{"token": {}}}

// operation adds an operation for callers with at least the given role.
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

// document adds a handler that does not use huma, such as a stream, to the OpenAPI description.
// faults maps status codes to descriptions.
func document(to huma.API, role access.Role, o *huma.Operation, faults map[string]string) {
	o.Security, o.Extensions = byToken, map[string]any{"x-role": role.String()}
	schema := to.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem](), true, "")
	for status, what := range faults {
		o.Responses[status] = &huma.Response{Description: what, Content: map[string]*huma.MediaType{"application/problem+json": {Schema: schema}}}
	}
	to.OpenAPI().AddOperation(o)
}

// allow returns the problem that keeps a caller from an operation, or nil.
func allow(who web.Principal, role access.Role) *problem {
	switch {
	case who.Role >= role:
		return nil
	case who.Role == access.Public:
		return fault(http.StatusUnauthorized, "unauthorized", "this needs a login or a token")
	}
	return fault(http.StatusForbidden, "forbidden", "this needs the role "+role.String()+"; yours is "+who.Role.String())
}

// problem is an error response, see web.Problem.
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

// newProblem converts an error of huma to a problem.
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
