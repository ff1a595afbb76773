package control

import (
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/host"
	"w3host/texts"
)

// The answers of commands to programs: one shape for w3host ctl --json and the API.

// Game is a lobby or a running game.
type Game struct {
	ID      uint32    `json:"id"`
	Name    string    `json:"name"`
	Map     string    `json:"map" doc:"Its file"`
	Entry   string    `json:"entry,omitempty" doc:"Of autohost"`
	State   string    `json:"state" enum:"lobby,running"`
	Stage   string    `json:"stage,omitempty" enum:"lobby,counting,loading,playing,lagging" doc:"Known soon after the lobby has opened"`
	Waits   string    `json:"waits,omitempty" doc:"Why the lobby has not started"`
	Public  bool      `json:"public" doc:"Listed for players"`
	Since   time.Time `json:"since" doc:"When the lobby opened, or the game began"`
	Open    int       `json:"open" doc:"Slots that can be joined"`
	Slots   int       `json:"slots"`
	LateMS  *Late     `json:"late_ms,omitempty" doc:"How late the turns of the last second were sent"`
	Players []Player  `json:"players"`
	// Watchers are those at the host itself ([watch]).
	Watchers int `json:"watchers,omitempty" doc:"How many watch the game ([watch])"`
}

// Late is how late the turns of a second were.
type Late struct {
	Turns  uint32  `json:"turns"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// LateOf is the lateness of so many turns.
func LateOf(turns uint32, median, most time.Duration) *Late {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &Late{turns, ms(median), ms(most)}
}

// Player is in a lobby or game.
type Player struct {
	Name    string `json:"name"`
	Realm   string `json:"realm,omitempty" doc:"That has confirmed the name"`
	Address string `json:"address,omitempty" doc:"For admins"`
	PingMS  int64  `json:"ping_ms,omitempty"`
	Map     *uint8 `json:"map,omitempty" doc:"Percent of it that a player in a lobby has; 255: it is not known yet"`
	Behind  int    `json:"behind,omitempty" doc:"Turns that are not acknowledged"`
	Lags    bool   `json:"lags,omitempty" doc:"The others wait for this player"`
	Away    bool   `json:"away,omitempty" doc:"Has lost the connection and may come back"`
}

// Seen is the state of a running game a moment ago.
type Seen struct {
	Snapshot *game.Snapshot // nil: not yet
	Late     *Late          // nil: no turn has been sent
}

// stages are how far a game has come.
var stages = map[game.Stage]string{
	game.StageLobby: "lobby", game.StageCounting: "counting", game.StageLoading: "loading", game.StagePlaying: "playing", game.StageLagging: "lagging",
}

// GameOf describes a lobby or game. Addresses are for admins.
func GameOf(i *host.Info, seen Seen, addresses bool) Game {
	g := Game{ID: i.ID, Name: i.Name, Map: i.Map, Entry: i.Entry, State: "lobby", Public: i.Public, Since: i.Since, Slots: i.Counts.Total, Players: []Player{}, Watchers: i.Watching()}
	if i.Playing {
		g.State = "running"
	} else {
		g.Open = i.Counts.Open
	}
	for _, p := range i.Players {
		shown := Player{Name: p.Name, Realm: p.Realm}
		if addresses && p.Addr.IsValid() {
			shown.Address = p.Addr.Addr().String()
		}
		g.Players = append(g.Players, shown)
	}
	if seen.Snapshot != nil {
		g.goes(i, seen)
	}
	return g
}

// goes fills in how the game goes.
func (g *Game) goes(i *host.Info, seen Seen) {
	g.Stage, g.LateMS = stages[seen.Snapshot.Stage], seen.Late
	if !i.Playing {
		g.Waits = seen.Snapshot.Waits.In(texts.English)
	}
	for n := range g.Players {
		p := &g.Players[n]
		for _, slot := range seen.Snapshot.Slots {
			if slot.PID != i.Players[n].PID {
				continue
			}
			p.PingMS, p.Behind, p.Lags, p.Away = slot.RTT.Milliseconds(), slot.Behind, slot.Lags, slot.Away
			if !i.Playing {
				p.Map = &slot.Download
			}
		}
	}
}

// Realm is where lobbies are listed.
type Realm struct {
	Name   string `json:"name"`
	Online bool   `json:"online"`
	SeenAt string `json:"seen_at,omitempty" doc:"Where it sends players, if that was seen; for admins"`
}

// Entry is an [[autohost]].
type Entry struct {
	Name     string `json:"name"`
	Wanted   int    `json:"wanted" doc:"Lobbies that are to be open"`
	Open     int    `json:"open"`
	Playing  int    `json:"playing"`
	MaxGames int    `json:"max_games"`
	Off      bool   `json:"off" doc:"By a command, or outside of its hours"`
	Idle     string `json:"idle,omitempty" doc:"Why it opens no lobby; none: it does, or has enough"`
	// Why is Idle in any language.
	Why  texts.Text `json:"-"`
	Last string     `json:"last,omitempty" doc:"The map of the newest lobby"`
	Next string     `json:"next,omitempty" doc:"The map that was chosen for the next"`
}

// EntryOf describes how an entry stands.
func EntryOf(s *autohost.Status) Entry {
	return Entry{
		Name: s.Name, Wanted: s.Lobbies, Open: s.Open, Playing: s.Playing, MaxGames: s.MaxGames, Off: s.Off || s.OutsideOfHours,
		Idle: s.Idle.In(texts.English), Why: s.Idle, Last: s.Last, Next: s.Next,
	}
}
