package game

import (
	"w3host/game/command"
	"w3host/lobby"
	"w3host/texts"
)

// inLobby holds the commands about the start and the slots of a lobby.
var inLobby = command.Table[*Machine]{
	{
		Name:     "start",
		Aliases:  []string{"s", "go", "g", "vs"},
		Usage:    "[force|now]",
		Forms:    map[string]string{"sn": "now", "quickstart": "now"},
		Help:     "start the countdown, once everybody's ping is known; force skips the checks, now skips the count as well",
		Examples: []string{"start", "start force"},
		Level:    command.StandIn,
		Parse:    start,
	},
	{
		Name:    "abort",
		Aliases: []string{"a"},
		Help:    "stop the countdown",
		Level:   command.StandIn,
		Urgent:  true,
		Bare:    op(lobby.Abort{}),
	},
	{
		Name:     "autostart",
		Usage:    "<players|off> [minutes] [balanced] | ready [players]",
		Forms:    map[string]string{"clearautostart": "off"},
		Help:     "start automatically with that many players, after that many minutes, or when all are ready; balanced: with even teams",
		Examples: []string{"autostart 8", "autostart 6 5 balanced", "autostart ready 4", "autostart off"},
		Parse:    autostart,
	},
	{
		Name:     "open",
		Usage:    "<slot> ...",
		Help:     "open slots",
		Examples: []string{"open 3 4"},
		Parse:    func(a *args) act { return op(lobby.SetSlots{Slots: a.Slots()}) },
	},
	{
		Name:     "close",
		Usage:    "<slot> ...",
		Help:     "close slots; a player in one is kicked",
		Examples: []string{"close 5 6"},
		Parse:    func(a *args) act { return op(lobby.SetSlots{Slots: a.Slots(), Closed: true}) },
	},
	{
		Name: "openall",
		Help: "open every closed slot",
		Bare: op(lobby.SetSlots{}),
	},
	{
		Name: "closeall",
		Help: "close every open slot",
		Bare: op(lobby.SetSlots{Closed: true}),
	},
	{
		Name:     "swap",
		Usage:    "<slot|player> <slot|player>",
		Help:     "swap two slots, or the players in them",
		Examples: []string{"swap 1 5", "swap bob ann"},
		Parse:    swap,
	},
	{
		Name:    "shuffle",
		Aliases: []string{"sp"},
		Help:    "shuffle the players",
		Bare:    op(lobby.Shuffle{}),
	},
	{
		Name:     "layout",
		Usage:    "<ffa|teams|vsai> | vsall <player>",
		Forms:    map[string]string{"ffa": "ffa", "teams": "teams", "vsai": "vsai"},
		Help:     "set all teams: each player alone, two even teams, players against computers, or one against all",
		Examples: []string{"layout teams", "layout vsall bob", "layout vsai"},
		Parse:    layout,
	},
	{
		Name:     "draft",
		Usage:    "<captain> <captain> | off",
		Help:     "let two captains choose their teams in turn, with pick",
		Examples: []string{"draft ann bob", "draft off"},
		Parse:    drafting,
	},
	{
		Name: "balance",
		Help: "balance the teams by the players' ratings",
		Bare: balance,
	},
	{
		Name:     "hold",
		Aliases:  []string{"reserve"},
		Forms:    map[string]string{"holdall": "all"},
		Usage:    "<name> ... | all",
		Help:     "hold a place for a name, or for all who are in",
		Examples: []string{"hold Ann \"Bob Lee\"", "hold all"},
		Parse: func(a *args) act {
			if a.Is("all") {
				return hold(lobby.Hold{Present: true})
			}
			return hold(lobby.Hold{Names: a.NameList()})
		},
	},
	{
		Name:     "unhold",
		Aliases:  []string{"unreserve"},
		Usage:    "<name> ...",
		Help:     "release a held place",
		Examples: []string{"unhold Ann"},
		Parse:    func(a *args) act { return op(lobby.Hold{Names: a.NameList(), Off: true}) },
	},
	{
		Name:     "closekick",
		Aliases:  []string{"ckick"},
		Usage:    "<player> [reason]",
		Help:     "remove a player and close their slot",
		Examples: []string{"closekick bob"},
		Parse:    func(a *args) act { return kick(a.Player(0), a.Rest(), true) },
	},
}

// setup holds the commands about the map and the lobby as a whole.
var setup = command.Table[*Machine]{
	{
		Name:     "hcl",
		Aliases:  []string{"mode"},
		Usage:    "[mode]",
		Help:     "show or set the mode string of the map",
		Examples: []string{"hcl ap"},
		Bare:     show(mode),
		Parse:    with((*args).Rest, hcl),
	},
	{
		Name: "clearhcl",
		Help: "remove the mode string",
		Bare: op(lobby.HCL{}),
	},
	{
		Name:     "download",
		Aliases:  []string{"dl"},
		Usage:    "<player>",
		Help:     "allow one player to download the map",
		Examples: []string{"download bob"},
		Parse:    func(a *args) act { return onPlayer(a.OnlyPlayer(), allowDownload) },
	},
	{
		Name:     "downloads",
		Aliases:  []string{"setdownloads", "maptransfers"},
		Usage:    "<on|off|ask>",
		Help:     "set who may download the map",
		Examples: []string{"downloads ask"},
		Parse:    with(func(a *args) string { return a.OneOf("on", "off", "ask") }, downloads),
	},
	{
		Name:    "unhost",
		Aliases: []string{"uh"},
		Help:    "close the lobby",
		Yields:  true,
		Bare:    op(lobby.Shutdown{Why: texts.Of("it was closed by its owner")}),
	},
}
