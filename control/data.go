package control

import (
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/host"
	"w3host/texts"
)

// The answers of commands for programs: the same types for w3host ctl --json and the web API.

// Game describes a lobby or a running game.
type Game struct {
	ID      uint32    `json:"id"`
	Name    string    `json:"name"`
	Map     string    `json:"map" doc:"File name of the map"`
	Entry   string    `json:"entry,omitempty" doc:"Name of the autohost entry"`
	State   string    `json:"state" enum:"lobby,running"`
	Stage   string    `json:"stage,omitempty" enum:"lobby,counting,loading,playing,lagging" doc:"Known soon after the lobby has opened"`
	Waits   string    `json:"waits,omitempty" doc:"Why the lobby has not started"`
	Public  bool      `json:"public" doc:"Listed for players"`
	Since   time.Time `json:"since" doc:"When the lobby opened or the game started"`
	Open    int       `json:"open" doc:"Slots that can be joined"`
	Slots   int       `json:"slots"`
	LateMS  *Late     `json:"late_ms,omitempty" doc:"How late the turns of the last second were sent"`
	Players []Player  `json:"players"`
	// Watchers is the number of spectators connected to this host ([watch]).
	Watchers int `json:"watchers,omitempty" doc:"Number of spectators ([watch])"`
}

// Late is how late turns were sent within one second, in milliseconds.
type Late struct {
	Turns  uint32  `json:"turns"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// LateOf returns a Late for a number of turns.
func LateOf(turns uint32, median, most time.Duration) *Late {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &Late{turns, ms(median), ms(most)}
}

// Player describes a player in a lobby or game.
type Player struct {
	Name    string `json:"name"`
	Realm   string `json:"realm,omitempty" doc:"Realm that has confirmed the name"`
	Address string `json:"address,omitempty" doc:"Only for admins"`
	PingMS  int64  `json:"ping_ms,omitempty"`
	Map     *uint8 `json:"map,omitempty" doc:"Percentage of the map that a player in a lobby has; 255 means unknown"`
	Behind  int    `json:"behind,omitempty" doc:"Number of unacknowledged turns"`
	Lags    bool   `json:"lags,omitempty" doc:"The player is on the lag screen"`
	Away    bool   `json:"away,omitempty" doc:"The connection is lost and the player can still reconnect"`
}

// Seen is the recent state of a running game.
type Seen struct {
	Snapshot *game.Snapshot // nil until there is one
	Late     *Late          // nil if no turn was sent
}

// stages are the JSON names of a game's stages.
var stages = map[game.Stage]string{
	game.StageLobby: "lobby", game.StageCounting: "counting", game.StageLoading: "loading", game.StagePlaying: "playing", game.StageLagging: "lagging",
}

// GameOf describes a lobby or game. It includes addresses of players only if addresses is set.
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

// goes fills in the fields about the course of the game.
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

// Realm describes the host's connection to a realm.
type Realm struct {
	Name   string `json:"name"`
	Online bool   `json:"online"`
	SeenAt string `json:"seen_at,omitempty" doc:"Address to which the realm sends players, if known; only for admins"`
}

// Entry describes an [[autohost]] entry.
type Entry struct {
	Name     string `json:"name"`
	Wanted   int    `json:"wanted" doc:"Number of lobbies to keep open"`
	Open     int    `json:"open"`
	Playing  int    `json:"playing"`
	MaxGames int    `json:"max_games"`
	Off      bool   `json:"off" doc:"Switched off by a command or outside its hours"`
	Idle     string `json:"idle,omitempty" doc:"Why it opens no lobby; empty if it does or has enough"`
	// Why is Idle as a text that can be shown in any language.
	Why  texts.Text `json:"-"`
	Last string     `json:"last,omitempty" doc:"Map of the newest lobby"`
	Next string     `json:"next,omitempty" doc:"Map chosen for the next lobby"`
}

// EntryOf describes the status of an entry.
func EntryOf(s *autohost.Status) Entry {
	return Entry{
		Name: s.Name, Wanted: s.Lobbies, Open: s.Open, Playing: s.Playing, MaxGames: s.MaxGames, Off: s.Off || s.OutsideOfHours,
		Idle: s.Idle.In(texts.English), Why: s.Idle, Last: s.Last, Next: s.Next,
	}
}
