package game

import (
	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// occupants holds the commands about the occupants of slots.
var occupants = command.Table[*Machine]{
	{
		Name:     "comp",
		Usage:    "<slot> [easy|normal|insane]",
		Help:     "put a computer into a slot",
		Examples: []string{"comp 4 insane"},
		Parse:    func(a *args) act { return op(lobby.Computer{Slot: a.Slot(), AI: strength(a)}) },
	},
	{
		Name:     "compall",
		Aliases:  []string{"fill"},
		Usage:    "[easy|normal|insane]",
		Help:     "put a computer into every open slot",
		Examples: []string{"compall insane"},
		Parse:    func(a *args) act { return op(lobby.Computers{AI: strength(a)}) },
	},
	{
		Name:    "deletecomp",
		Aliases: []string{"delcomp"},
		Help:    "remove all computers but those of the map",
		Bare:    op(lobby.DeleteComputers{}),
	},
	{
		Name:     "compteam",
		Usage:    "<slot> <team>",
		Help:     "set the team of a computer",
		Examples: []string{"compteam 4 2"},
		Parse:    setComputer(w3gs.ChatTeam, team),
	},
	{
		Name:     "compcolour",
		Aliases:  []string{"compcolor"},
		Usage:    "<slot> <colour>",
		Help:     "set the colour of a computer",
		Examples: []string{"compcolour 4 teal"},
		Parse:    setComputer(w3gs.ChatColour, (*args).Colour),
	},
	{
		Name:     "comprace",
		Usage:    "<slot> <race>",
		Help:     "set the race of a computer",
		Examples: []string{"comprace 4 orc"},
		Parse:    setComputer(w3gs.ChatRace, (*args).Race),
	},
	{
		Name:     "comphandicap",
		Usage:    "<slot> <50-100>",
		Help:     "set the handicap of a computer",
		Examples: []string{"comphandicap 4 80"},
		Parse:    setComputer(w3gs.ChatHandicap, (*args).Handicap),
	},
	{
		Name:     "team",
		Usage:    "<player> <team>",
		Help:     "set the team of a player",
		Examples: []string{"team bob 2"},
		Parse:    setPlayer(w3gs.ChatTeam, team),
	},
	{
		Name:     "colour",
		Aliases:  []string{"color"},
		Usage:    "<player> <colour>",
		Help:     "set the colour of a player",
		Examples: []string{"colour bob red"},
		Parse:    setPlayer(w3gs.ChatColour, (*args).Colour),
	},
	{
		Name:     "race",
		Usage:    "<player> <race>",
		Help:     "set the race of a player",
		Examples: []string{"race bob nightelf"},
		Parse:    setPlayer(w3gs.ChatRace, (*args).Race),
	},
	{
		Name:     "handicap",
		Usage:    "<player> <50-100>",
		Help:     "set the handicap of a player",
		Examples: []string{"handicap bob 90"},
		Parse:    setPlayer(w3gs.ChatHandicap, (*args).Handicap),
	},
	{
		Name:     "obs",
		Aliases:  []string{"observer"},
		Usage:    "<player>",
		Help:     "move a player to the observers",
		Examples: []string{"obs bob"},
		Parse: func(a *args) act {
			return opOn(a.OnlyPlayer(), func(p lobby.Player) lobby.Operation { return lobby.Observe{PID: p.PID} })
		},
	},
	{
		Name:     "fakeplayer",
		Aliases:  []string{"fp"},
		Usage:    "[count|all]",
		Forms:    map[string]string{"fillfake": "all"},
		Help:     "add fake players, who only hold a slot; all: into every open slot",
		Examples: []string{"fakeplayer", "fakeplayer 3", "fakeplayer all"},
		Bare:     op(lobby.FakePlayer{Count: 1}),
		Parse: func(a *args) act {
			if a.Is("all") {
				return op(lobby.FakePlayer{All: true})
			}
			return op(lobby.FakePlayer{Count: a.Ordinal("number of players")})
		},
	},
	{
		Name:    "deletefp",
		Aliases: []string{"deletefake"},
		Help:    "remove all fake players",
		Bare:    op(lobby.DeleteFake{}),
	},
}
