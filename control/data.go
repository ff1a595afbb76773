package control

import (
	"time"

	"w3host/game/autohost"
	"w3host/host"
)

// What commands answer to programs: one shape for w3host ctl --json and the API.

// Game is a lobby or a running game.
type Game struct {
	ID      uint32    `json:"id"`
	Name    string    `json:"name"`
	Map     string    `json:"map" doc:"Its file"`
	Entry   string    `json:"entry,omitempty" doc:"Of autohost"`
	State   string    `json:"state" enum:"lobby,running"`
	Public  bool      `json:"public" doc:"Listed for players"`
	Since   time.Time `json:"since" doc:"When the lobby opened, or the game began"`
	Open    int       `json:"open" doc:"Slots that can be joined"`
	Slots   int       `json:"slots"`
	Players []Player  `json:"players"`
}

// Player is in a lobby or game.
type Player struct {
	Name    string `json:"name"`
	Realm   string `json:"realm,omitempty" doc:"That has confirmed the name"`
	Address string `json:"address,omitempty" doc:"For admins"`
}

// GameOf describes a lobby or game. Addresses are for admins.
func GameOf(i *host.Info, addresses bool) Game {
	g := Game{ID: i.ID, Name: i.Name, Map: i.Map, Entry: i.Entry, State: "lobby", Public: i.Public, Since: i.Since, Slots: i.Counts.Total, Players: []Player{}}
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
	return g
}

// Entry is an [[autohost]].
type Entry struct {
	Name     string `json:"name"`
	Wanted   int    `json:"wanted" doc:"Lobbies that are to be open"`
	Open     int    `json:"open"`
	Playing  int    `json:"playing"`
	MaxGames int    `json:"max_games"`
	Off      bool   `json:"off" doc:"By a command, or outside of its hours"`
	Last     string `json:"last,omitempty" doc:"The map of the newest lobby"`
	Next     string `json:"next,omitempty" doc:"The map that was chosen for the next"`
}

// EntryOf describes how an entry stands.
func EntryOf(s *autohost.Status) Entry {
	return Entry{s.Name, s.Lobbies, s.Open, s.Playing, s.MaxGames, s.Off || s.OutsideOfHours, s.Last, s.Next}
}
