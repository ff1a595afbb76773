package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"w3host/control"
	"w3host/texts"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/hub"
	"w3host/web/view"
)

// accountStreams is the maximum number of event streams of one token or account.
const accountStreams = 8

// kinds maps the kinds of events to their type names in the API.
var kinds = map[view.Kind]string{
	view.Opened: "lobby.opened", view.Started: "game.started", view.Loaded: "game.loaded", view.Turns: "game.turns",
	view.LagBegan: "game.lag", view.LagEnded: "game.lag", view.Desynced: "game.desync", view.Ended: EndedType,
	view.Joined: "player.joined", view.Left: "player.left", view.LinkLost: "player.away", view.LinkResumed: "player.back",
	view.Said: chatType, view.Commanded: auditType,
}

// EndedType is the type of the last event of a lobby or game.
const EndedType = "game.ended"

// Types for which the role Viewer is not enough: lines that are not for everybody, and commands,
// because they contain addresses.
const (
	chatType    = "chat"
	privateType = "chat.private"
	auditType   = "audit"
)

// needs returns the minimum role for a type of events.
func needs(kind string) access.Role {
	switch kind {
	case privateType:
		return access.Moderator
	case auditType:
		return access.Admin
	}
	return access.Viewer
}

// Types returns all types of events in alphabetical order.
func Types() []string {
	list := append(slices.Collect(maps.Values(kinds)), privateType)
	slices.Sort(list)
	return slices.Compact(list)
}

// Event is an event of a lobby or game. It contains no address, and not the reason of a broken
// connection, because that may contain one.
type Event struct {
	Type    string        `json:"type"`
	At      time.Time     `json:"at"`
	Game    uint32        `json:"game"`
	Key     string        `json:"key" doc:"The game's in the game log"`
	Player  string        `json:"player,omitempty"`
	Kicked  bool          `json:"kicked,omitempty"`
	Text    string        `json:"text,omitempty" doc:"What was said or commanded, how it ended, or who lagged or differed and why"`
	Refused string        `json:"refused,omitempty" doc:"Why a command was not done"`
	Lags    bool          `json:"lags,omitempty" doc:"The lag screen is up, not down"`
	LateMS  *control.Late `json:"late_ms,omitempty" doc:"How late the turns of a second were sent"`
}

// Events sends events to the programs that watch them.
type Events struct {
	hub *hub.Hub
	// Also, if not nil, is called with every event, whatever its audience. It must not block.
	Also func(Event)
}

// NewEvents returns Events. It calls dropped with each client that is disconnected because it reads
// too slowly.
func NewEvents(dropped func(hub.Watcher)) *Events {
	s := &Events{hub: hub.New(dropped)}
	for _, kind := range Types() {
		s.hub.Keep(kind)
	}
	return s
}

// Arrived makes Events call f whenever a client begins to read. f must not block.
func (s *Events) Arrived(f func()) { s.hub.Arrived(f) }

// Busy reports whether any client reads events.
func (s *Events) Busy() bool { return s.hub.Busy() }

// Watchers returns all clients, and the number of those disconnected for reading too slowly.
func (s *Events) Watchers() (list []hub.Watcher, dropped uint64) { return s.hub.Watchers() }

// Publish sends an event of a game to all clients that may read it. It does not block.
func (s *Events) Publish(e *view.Event) {
	kind, known := kinds[e.Kind]
	if !known {
		return
	}
	out := Event{Type: kind, At: time.Unix(0, int64(e.At)).UTC(), Game: e.Game, Key: e.Key, Player: e.Name, Kicked: e.Kicked, Refused: e.Refused}
	switch e.Kind {
	case view.Said:
		if out.Text = e.Text; e.To != view.ToAll {
			out.Type = privateType
		}
	case view.Commanded, view.Ended:
		out.Text = e.Text
	case view.LagBegan:
		out.Lags = true
	case view.LagEnded, view.Desynced:
		out.Text = e.Line.In(texts.English)
	case view.Turns:
		out.LateMS = control.LateOf(e.Late.Turns, e.Late.Median, e.Late.Max)
	}
	if s.Also != nil {
		s.Also(out)
	}
	data, _ := json.Marshal(out) // numbers and texts only
	s.hub.Publish(out.Type, out.Type, data)
}

// serve streams the requested types of events, or all that the caller may read.
func (s *Events) serve(w http.ResponseWriter, r *http.Request) {
	from := web.Caller(r)
	var topics []string
	if asked := r.URL.Query().Get("types"); asked != "" {
		topics = strings.Split(asked, ",")
	}
	for _, kind := range topics {
		switch {
		case !slices.Contains(Types(), kind):
			web.WriteProblem(w, http.StatusUnprocessableEntity, "unknown_type", fmt.Sprintf("there is no type of events %.40q: the types are %s", kind, strings.Join(Types(), ", ")))
			return
		case from.Role < needs(kind):
			web.WriteProblem(w, http.StatusForbidden, "forbidden", fmt.Sprintf("%s needs the role %v; yours is %v", kind, needs(kind), from.Role))
			return
		}
	}
	if topics == nil {
		topics = slices.DeleteFunc(Types(), func(kind string) bool { return from.Role < needs(kind) })
	}
	slices.Sort(topics)
	web.Stream(w)
	who := hub.Watcher{Name: from.Via + ":" + from.Name, Topics: slices.Compact(topics), Most: accountStreams, SessionValid: func() bool { return web.SessionValid(r) }}
	if !s.hub.Serve(w, r, who) {
		web.WriteProblem(w, http.StatusTooManyRequests, "too_many_streams", "too many streams are open: close some")
	}
}

// describeEvents adds the stream to the OpenAPI description.
func describeEvents(to huma.API) {
	text := &huma.Schema{Type: huma.TypeString}
	schema := to.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Event](), true, "").Ref // as a plain text: an extension has no references
	document(to, access.Viewer, &huma.Operation{
		Method: http.MethodGet, Path: "/events", OperationID: "events", Summary: "What happens, as server-sent events",
		Description: "Each event has an id, its type as name, and an Event in JSON as data. Who comes back sends the last id as Last-Event-ID or " +
			"after, and gets what has come since then, or the event resync when that is not known any more. Types: " + strings.Join(Types(), ", ") + ".",
		Parameters: []*huma.Param{
			{Name: "types", In: "query", Description: "Types with commas between them; none: all that the role may read", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"chat,game.ended"}}},
			{Name: "after", In: "query", Description: "The last id", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{""}}},
			{Name: "Last-Event-ID", In: "header", Description: "The last id", Schema: text},
		},
		Responses: map[string]*huma.Response{
			"200": {Description: "A stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text, Extensions: map[string]any{"x-event": schema}}}},
		},
	}, map[string]string{"401": "Unauthorized", "403": "Forbidden", "422": "Unprocessable Entity", "429": "Too Many Requests, or too many streams"})
}
