package api

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"w3host/control"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/storage"
	"w3host/web"
	"w3host/web/access"
)

// body is a response with one value.
type body[T any] struct{ Body T }

// list is a response with several values.
type list[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"What to send as after for those that follow; none: there are no more"`
}

// listOf returns a complete list, converted by shown.
func listOf[T, U any](items []T, shown func(T) U) *body[list[U]] {
	return &body[list[U]]{list[U]{Items: mapped(items, shown)}}
}

// mapped converts each item. It returns an empty list instead of nil, so that the JSON has [] and
// not null.
func mapped[T, U any](items []T, shown func(T) U) []U {
	out := make([]U, len(items))
	for i, item := range items {
		out[i] = shown(item)
	}
	return out
}

// itself returns its argument, for lists that need no conversion.
func itself[T any](item T) T { return item }

type (
	none struct{}
	// GameID is a path parameter. It is exported because huma ignores unexported fields.
	GameID struct {
		ID uint32 `path:"id" minimum:"1" example:"1" doc:"The number of the lobby or game"`
	}
	named struct {
		Name string `path:"name" maxLength:"64" example:"Rook"`
	}
)

func (a *api) routes(to huma.API) {
	operation(to, access.Public, "GET", "/host", "getHost", "The host and how much goes on", a.getHost)
	operation(to, access.Viewer, "GET", "/games", "listGames", "Lobbies and running games", a.listGames)
	operation(to, access.Viewer, "GET", "/games/{id}", "getGame", "One lobby or running game, with its slots", a.getGame)
	operation(to, access.Viewer, "GET", "/fleet", "getFleet", "All hosts that share the database, and the lobbies and games of the others", a.getFleet)
	operation(to, access.Admin, "POST", "/games", "openGame", "Open one more lobby, as the command host does", a.openGame)
	operation(to, access.Moderator, "DELETE", "/games/{id}", "endGame", "Close a lobby or end a game, as unhost and end do", a.endGame)
	operation(to, access.Viewer, "POST", "/commands", "command", "A command of the host, as of w3host ctl", a.command)
	operation(to, access.Viewer, "POST", "/games/{id}/commands", "commandGame", "A command of a lobby or game", a.commandGame)
	operation(to, access.Viewer, "GET", "/maps", "listMaps", "Maps that can be hosted", a.listMaps)
	operation(to, access.Viewer, "GET", "/maps/{name}", "getMap", "One file of the maps folder, and why it cannot be hosted", a.getMap)
	describeUpload(to)
	operation(to, access.Viewer, "GET", "/autohost", "listEntries", "The kinds of games of which lobbies are open always", a.listEntries)
	operation(to, access.Viewer, "GET", "/realms", "listRealms", "Realms, and whether an account is logged on", a.listRealms)
	operation(to, access.Viewer, "GET", "/history", "listHistory", "Games of the game log, the latest first", a.listHistory)
	operation(to, access.Admin, "GET", "/history/{key}", "getHistory", "All that is kept of one game, chat and addresses too", a.find)
	operation(to, access.Moderator, "GET", "/history/{key}/chat", "getChat", "What was said in a game, to whomever", a.getChat)
	operation(to, access.Moderator, "GET", "/history/{key}/dossiers", "getDossiers", "The desyncs of a game: who differed and in what", a.getDossiers)
	describeReplay(to)
	operation(to, access.Viewer, "GET", "/players/{name}", "getPlayer", "What is known of the players of a name, one per realm", a.getPlayer)
	operation(to, access.Admin, "GET", "/bans", "listBans", "Bans that hold", a.listBans)
	operation(to, access.Admin, "GET", "/admins", "listAdmins", "Who may command hosts", a.listAdmins)
	operation(to, access.Admin, "GET", "/audit", "listAudit", "Who has ordered what and who has logged in, the latest first", a.listAudit)
	operation(to, access.Root, "GET", "/sessions", "listSessions", "Browsers that are logged in", a.listSessions)
	operation(to, access.Root, "DELETE", "/sessions/{name}", "endSessions", "Log an account out of all browsers", a.endSessions)
	operation(to, access.Root, "GET", "/accounts", "listAccounts", "Who may log in to the web console", a.listAccounts)
	operation(to, access.Root, "POST", "/accounts", "setAccount", "Make an account, or give it another role or password", a.setAccount)
	operation(to, access.Root, "DELETE", "/accounts/{name}", "removeAccount", "Remove an account and end its sessions", a.removeAccount)
	operation(to, access.Root, "GET", "/tokens", "listTokens", "Tokens, without their text", a.listTokens)
	operation(to, access.Root, "POST", "/tokens", "addToken", "Make a token", a.addToken)
	operation(to, access.Root, "DELETE", "/tokens/{name}", "removeToken", "Remove a token", a.removeToken)
	describeEvents(to)
}

// Levels maps roles to the levels of commands.
var Levels = map[access.Role]command.Level{
	access.Viewer: command.Anyone, access.Moderator: command.Owner, access.Admin: command.Admin, access.Root: command.Root,
}

// Line holds the text of a command.
type Line struct {
	Line string `json:"line" minLength:"1" maxLength:"1024" example:"games" doc:"As of w3host ctl: kick Rook"`
}

// Answers holds the answer of a command.
type Answers struct {
	Lines []string `json:"lines"`
	Data  any      `json:"data,omitempty" doc:"The same as values, of commands that list something: lobbies and games, maps, entries, and what the game log knows of players, bans and admins"`
}

func (a *api) command(ctx context.Context, in *struct{ Body Line }) (*body[Answers], error) {
	return a.order(ctx, control.Order{Command: in.Body.Line})
}

func (a *api) commandGame(ctx context.Context, in *struct {
	GameID
	Body Line
},
) (*body[Answers], error) {
	if a.Host.Info(in.ID).ID == 0 {
		return nil, noGame
	}
	return a.order(ctx, control.Order{Command: in.Body.Line, Game: in.ID})
}

func (a *api) order(ctx context.Context, o control.Order) (*body[Answers], error) {
	from := web.CallerOf(ctx)
	answer := a.Order(ctx, command.Caller{Name: from.Name, Level: Levels[from.Role], Via: command.Via(from.Via)}, o)
	if answer.Refused != "" {
		p := fault(http.StatusConflict, "refused", answer.Refused)
		p.Lines = answer.Lines
		return nil, p
	}
	return &body[Answers]{Answers{answer.Lines, answer.Data}}, nil
}

func (a *api) listEntries(context.Context, *none) (*body[list[control.Entry]], error) {
	var status []autohost.Status
	a.Host.Keep(func(k *autohost.Keeper) { status = k.Status(time.Now()) })
	return listOf(status, func(s autohost.Status) control.Entry { return control.EntryOf(&s) }), nil
}

func (a *api) listRealms(context.Context, *none) (*body[list[control.Realm]], error) {
	online := a.Realms()
	return listOf(slices.Sorted(maps.Keys(online)), func(name string) control.Realm { return control.Realm{Name: name, Online: online[name]} }), nil
}

// ask runs a database query. At most mostAsked run at the same time.
func ask[T any](ctx context.Context, a *api, question func(context.Context) (T, error)) (*body[T], error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	var answer T
	var err error
	if !a.asking.Take(ctx, func() { answer, err = question(ctx) }) {
		return nil, fault(http.StatusServiceUnavailable, "busy", "too much is asked of the database: try again in a second")
	}
	switch {
	case err == nil:
		return &body[T]{answer}, nil
	case errors.Is(err, storage.ErrNotFound):
		return nil, fault(http.StatusNotFound, "not_found", err.Error())
	}
	return nil, fault(http.StatusServiceUnavailable, "database", "the database does not answer: try again later")
}

// PastGame is a game of the game log.
type PastGame struct{ storage.Game }

func (a *api) listHistory(ctx context.Context, in *struct {
	Limit  int       `query:"limit" minimum:"1" maximum:"200" default:"50" example:"50"`
	After  time.Time `query:"after" doc:"Games opened before this time; next of the page before" example:"2030-01-01T00:00:00Z"`
	Player string    `query:"player" maxLength:"64" doc:"Who played in them" example:"Rook"`
	Map    string    `query:"map" maxLength:"100" doc:"A part of the map's name" example:"test"`
},
) (*body[list[PastGame]], error) {
	return ask(ctx, a, func(ctx context.Context) (list[PastGame], error) {
		games, err := a.DB.Games(ctx, storage.GameFilter{Limit: in.Limit, Before: in.After, Player: in.Player, Map: in.Map})
		out := list[PastGame]{Items: mapped(games, func(g storage.Game) PastGame { return PastGame{g} })}
		if n := len(games); n == in.Limit {
			out.Next = games[n-1].Key.Time().Format(time.RFC3339Nano)
		}
		return out, err
	})
}

// askAll runs a database query whose result is a complete list.
func askAll[T any](ctx context.Context, a *api, question func(context.Context) ([]T, error)) (*body[list[T]], error) {
	return ask(ctx, a, func(ctx context.Context) (out list[T], err error) {
		out.Items, err = question(ctx)
		return out, err
	})
}

func (a *api) getPlayer(ctx context.Context, in *named) (*body[list[storage.PlayerStats]], error) {
	return askAll(ctx, a, func(ctx context.Context) ([]storage.PlayerStats, error) { return a.DB.PlayerStats(ctx, in.Name) })
}

func (a *api) listBans(ctx context.Context, _ *none) (*body[list[storage.Ban]], error) {
	return askAll(ctx, a, func(ctx context.Context) ([]storage.Ban, error) { return a.DB.Bans(ctx, false) })
}

func (a *api) listAdmins(ctx context.Context, _ *none) (*body[list[storage.Admin]], error) {
	return askAll(ctx, a, a.DB.Admins)
}

func (a *api) listAudit(ctx context.Context, in *struct {
	Limit int       `query:"limit" minimum:"1" maximum:"200" default:"50" example:"50"`
	After time.Time `query:"after" doc:"Lines before this time; next of the page before" example:"2030-01-01T00:00:00Z"`
},
) (*body[list[storage.AdminAction]], error) {
	return ask(ctx, a, func(ctx context.Context) (out list[storage.AdminAction], err error) {
		lines, older, err := a.DB.AuditLog(ctx, in.After, in.Limit)
		if out.Items = lines; !older.IsZero() {
			out.Next = older.Format(time.RFC3339Nano)
		}
		return out, err
	})
}

func (a *api) listAccounts(context.Context, *none) (*body[list[access.Account]], error) {
	accounts, err := a.Access.Accounts()
	return listOf(accounts, itself), unreadable(err)
}

// audited runs a change of accounts, links or tokens and writes it to the audit log.
func (a *api) audited(ctx context.Context, action, on string, do func() error) error {
	switch err := a.Ordered(ctx, action, on, do); {
	case err == nil:
		return nil
	case errors.Is(err, access.ErrNotFound):
		return fault(http.StatusNotFound, "not_found", err.Error())
	default:
		return fault(http.StatusConflict, "refused", err.Error())
	}
}

func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return fault(http.StatusServiceUnavailable, "accounts", err.Error())
}

// NewAccount is an account with its password.
type NewAccount struct {
	Name     string `json:"name" maxLength:"40" example:"Rook"`
	Role     string `json:"role" enum:"viewer,moderator,admin,root" example:"viewer"`
	Password string `json:"password,omitempty" maxLength:"200" doc:"None: that of before" example:"correct horse"`
}

func (a *api) setAccount(ctx context.Context, in *struct{ Body NewAccount }) (*none, error) {
	var role access.Role
	_ = role.UnmarshalText([]byte(in.Body.Role)) // the enum has checked it
	return nil, a.audited(ctx, "web account add", in.Body.Name, func() error {
		err := web.ErrBusy
		a.work(ctx, func() { err = a.Access.SetAccount(in.Body.Name, role, in.Body.Password, time.Now()) })
		return err
	})
}

func (a *api) removeAccount(ctx context.Context, in *named) (*none, error) {
	return nil, a.audited(ctx, "web account remove", in.Name, func() error { return a.Access.RemoveAccount(in.Name) })
}

func (a *api) listSessions(context.Context, *none) (*body[list[access.Session]], error) {
	all, err := a.Access.Sessions(time.Now())
	return listOf(all, itself), unreadable(err)
}

func (a *api) endSessions(ctx context.Context, in *named) (*none, error) {
	return nil, a.audited(ctx, "web logout", in.Name, func() error { return a.Access.EndSessions(in.Name) })
}

// Token holds the settings of a new API token.
type Token struct {
	Name    string         `json:"name" maxLength:"40" example:"bot"`
	Role    string         `json:"role" enum:"viewer,moderator,admin,root" example:"viewer"`
	From    []netip.Prefix `json:"from,omitempty" doc:"Networks from which it counts; none: all" example:"[\"192.168.0.0/16\"]"`
	Expires time.Time      `json:"expires,omitzero" doc:"None: never" example:"2100-01-01T00:00:00Z"`
}

// NewToken is a new token with its text, which cannot be shown again.
type NewToken struct {
	Token string `json:"token" doc:"Told this once; only its hash is kept"`
}

func (a *api) listTokens(context.Context, *none) (*body[list[Token]], error) {
	tokens, err := a.Access.Tokens()
	return listOf(tokens, func(t access.Token) Token { return Token{t.Name, t.Role.String(), t.Networks, t.Expires} }), unreadable(err)
}

func (a *api) addToken(ctx context.Context, in *struct{ Body Token }) (*body[NewToken], error) {
	t := access.Token{Name: in.Body.Name, Networks: in.Body.From, Expires: in.Body.Expires, Made: time.Now()}
	_ = t.Role.UnmarshalText([]byte(in.Body.Role)) // the enum has checked it
	var out NewToken
	err := a.audited(ctx, "web token add", t.Name, func() (err error) { out.Token, err = a.Access.AddToken(t); return err })
	return &body[NewToken]{out}, err
}

func (a *api) removeToken(ctx context.Context, in *named) (*none, error) {
	return nil, a.audited(ctx, "web token remove", in.Name, func() error { return a.Access.RemoveToken(in.Name) })
}
