package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"w3host/control"
	"w3host/game"
	"w3host/host"
	"w3host/protocol/w3gs"
	"w3host/texts"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/view"
)

// freshFor is how long a list of games is shared between all requests, and statusFresh how long a
// response of status.json is.
const (
	freshFor    = time.Second
	statusFresh = 2 * time.Second
)

var noGame = fault(http.StatusNotFound, "not_found", "there is no lobby and no running game of this number")

// cached stores a value that is computed again only when it is older than a given time.
type cached[T any] struct {
	mu    sync.Mutex
	value T
	at    time.Time
}

func (c *cached[T]) get(fresh time.Duration, look func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.at) >= fresh {
		c.value, c.at = look(), now
	}
	return c.value
}

func (a *api) infos() []host.Info {
	return a.games.get(freshFor, a.Host.Infos)
}

// Standing is the state of the host with its numbers of lobbies, games and players.
type Standing struct {
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	Lobbies int       `json:"lobbies"`
	Games   int       `json:"games" doc:"That are running"`
	Players int       `json:"players" doc:"In lobbies and games"`
}

func (a *api) standing() Standing {
	t := a.Host.Totals(time.Now())
	return Standing{a.Version, a.started.UTC().Truncate(time.Second), t.Lobbies, t.Games, t.LobbyPlayers + t.GamePlayers}
}

func (a *api) getHost(context.Context, *none) (*body[Standing], error) {
	return &body[Standing]{a.standing()}, nil
}

func (a *api) listGames(ctx context.Context, in *struct {
	State    string `query:"state" enum:"lobby,running" example:"lobby"`
	Joinable bool   `query:"joinable" doc:"Only lobbies with an open slot"`
	After    uint32 `query:"after" doc:"The number of the last game of the page before" example:"0"`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"100" example:"100"`
},
) (*body[list[control.Game]], error) {
	out := list[control.Game]{Items: []control.Game{}}
	for _, i := range a.infos() { // in the order of their numbers
		g := control.GameOf(&i, a.Seen(i.ID), web.CallerOf(ctx).Role >= access.Admin)
		switch {
		case i.ID <= in.After, in.State != "" && in.State != g.State, in.Joinable && g.Open == 0:
			continue
		case len(out.Items) == in.Limit:
			out.Next = fmt.Sprint(out.Items[in.Limit-1].ID)
			return &body[list[control.Game]]{out}, nil
		}
		out.Items = append(out.Items, g)
	}
	return &body[list[control.Game]]{out}, nil
}

// Detail is a lobby or game with its slots.
type Detail struct {
	control.Game
	Turn     uint32 `json:"turn,omitempty"`
	PeriodMS int64  `json:"period_ms" doc:"Between two turns"`
	Seats    []Seat `json:"seats"`
}

// Seat is a slot and its player.
type Seat struct {
	Slot     int    `json:"slot" doc:"From 1"`
	Status   string `json:"status" enum:"open,closed,player,computer"`
	Name     string `json:"name,omitempty"`
	Team     int    `json:"team"`
	Colour   int    `json:"colour"`
	Race     string `json:"race"`
	Download int    `json:"download" doc:"Percent of the map; 255: it is not known yet"`
	PingMS   int64  `json:"ping_ms,omitempty"`
	Ready    bool   `json:"ready,omitempty"`
	Owner    bool   `json:"owner,omitempty"`
	Away     bool   `json:"away,omitempty" doc:"Has lost the connection and may come back"`
	Gone     bool   `json:"gone,omitempty"`
	Behind   int    `json:"behind,omitempty" doc:"Turns that are not acknowledged"`
	Lags     bool   `json:"lags,omitempty" doc:"The others wait for this player"`
}

func (a *api) getGame(ctx context.Context, in *GameID) (*body[Detail], error) {
	info := a.Host.Info(in.ID)
	if info.ID == 0 {
		return nil, noGame
	}
	answer := make(chan *game.Snapshot, 1)
	a.Host.Snapshot(in.ID, func(s *game.Snapshot) { answer <- s })
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	select {
	case s := <-answer:
		if s == nil {
			return nil, noGame
		}
		return &body[Detail]{detail(control.GameOf(&info, control.Seen{Snapshot: s, Late: a.Seen(in.ID).Late}, web.CallerOf(ctx).Role >= access.Admin), s)}, nil
	case <-ctx.Done():
		return nil, fault(http.StatusServiceUnavailable, "busy", "the game does not answer")
	}
}

func detail(g control.Game, s *game.Snapshot) Detail {
	d := Detail{Game: g, Turn: s.Turn, PeriodMS: s.Period.Milliseconds(), Seats: []Seat{}}
	for i, slot := range s.Slots {
		d.Seats = append(d.Seats, Seat{
			Slot: i + 1, Status: status(&slot), Name: slot.Name, Team: int(slot.Team), Colour: int(slot.Colour),
			Race: slot.Race.In(texts.English), Download: int(slot.Download), PingMS: slot.RTT.Milliseconds(),
			Ready: slot.Ready, Owner: slot.Owns, Away: slot.Away, Gone: slot.Gone, Behind: slot.Behind, Lags: slot.Lags,
		})
	}
	return d
}

// status returns the word for the state of a slot.
func status(s *game.SnapshotSlot) string {
	switch {
	case s.Status == w3gs.SlotOpen:
		return "open"
	case s.Status == w3gs.SlotClosed:
		return "closed"
	case s.Computer:
		return "computer"
	}
	return "player"
}

// open holds the public facts of a lobby.
type open struct {
	Name  string `json:"name"`
	Map   string `json:"map"`
	Open  int    `json:"open"`
	Slots int    `json:"slots"`
}

// status serves status.json: the open lobbies, for sites that list games. It contains no player
// names.
func (a *api) status(w http.ResponseWriter, r *http.Request) {
	text := a.public.get(statusFresh, func() []byte {
		answer := struct {
			Standing
			Open      []open `json:"open"`
			Elsewhere []far  `json:"elsewhere,omitempty"`
		}{a.standing(), []open{}, a.openElsewhere(r.Context())}
		for _, i := range a.infos() {
			if i.Public && !i.Playing {
				answer.Open = append(answer.Open, open{i.Name, i.Map, i.Counts.Open, i.Counts.Total})
			}
		}
		text, _ := json.Marshal(answer) // numbers and texts only
		return text
	})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, _ = w.Write(text) // the reader is gone
}

// Lobby holds the settings of a lobby to open.
type Lobby struct {
	Map  string `json:"map" minLength:"1" maxLength:"250" example:"no such map" doc:"A part of the name of its file"`
	Name string `json:"name,omitempty" maxLength:"100" example:"3v3" doc:"Of the game; none: as configured"`
}

func (a *api) openGame(ctx context.Context, in *struct{ Body Lobby }) (*body[Answers], error) {
	return a.order(ctx, control.Order{Command: strings.TrimSpace("host " + view.Quoted(in.Body.Map) + " " + in.Body.Name)})
}

func (a *api) endGame(ctx context.Context, in *GameID) (*body[Answers], error) {
	switch i := a.Host.Info(in.ID); {
	case i.ID == 0:
		return nil, noGame
	case i.Playing:
		return a.order(ctx, control.Order{Game: in.ID, Command: "end"})
	case web.CallerOf(ctx).Role < access.Admin: // as the owner of the lobby does
		return a.order(ctx, control.Order{Game: in.ID, Command: "unhost"})
	}
	return a.order(ctx, control.Order{Command: fmt.Sprintf("unhost %d", in.ID)})
}
