package game

import (
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// always holds the commands of lobbies and running games.
var always = command.Table[*Machine]{
	{
		Name:     "help",
		Usage:    "[command|group]",
		Help:     "list the groups of commands or one group, or explain a command",
		Examples: []string{"help", "help votes", "help start"},
		Parse:    with((*args).Rest, help),
	},
	{
		Name:      "ping",
		Aliases:   []string{"pingall", "p"},
		Usage:     "[ms]",
		Help:      "show everyone's ping; with a number, kick slower players from the lobby",
		Examples:  []string{"ping", "ping 300"},
		Level:     command.Owner,
		AskAnyone: true,
		Bare:      ping,
		Parse:     with(milliseconds(time.Millisecond, time.Minute), kickSlow),
	},
	{
		Name:    "version",
		Aliases: []string{"about", "v"},
		Help:    "show the host's version",
		Bare:    show(version),
	},
	{
		Name:      "owner",
		Forms:     map[string]string{"unowner": "none"},
		Usage:     "[player|none]",
		Help:      "show who owns the lobby, or give it away; none: nobody owns it",
		Examples:  []string{"owner Bob", "owner none"},
		Level:     command.Owner,
		AskAnyone: true,
		Bare:      show(owner),
		Parse: func(a *args) act {
			if a.Is("none") {
				return op(lobby.SetOwner{})
			}
			return opOn(a.OnlyPlayer(), func(p lobby.Player) lobby.Operation { return lobby.SetOwner{Player: p.Name} })
		},
	},
	{
		Name:     "kick",
		Aliases:  []string{"remove", "k"},
		Usage:    "<player> [reason]",
		Help:     "remove a player",
		Examples: []string{"kick bob too slow"},
		Level:    command.Owner,
		Parse:    func(a *args) act { return kick(a.Player(0), a.Rest(), false) },
	},
	{
		Name:     "mute",
		Usage:    "<player>",
		Help:     "mute a player",
		Examples: []string{"mute bob"},
		Level:    command.Owner,
		Parse:    func(a *args) act { return mute(a.OnlyPlayer(), false) },
	},
	{
		Name:     "unmute",
		Usage:    "<player>",
		Help:     "unmute a player",
		Examples: []string{"unmute bob"},
		Level:    command.Owner,
		Parse:    func(a *args) act { return mute(a.OnlyPlayer(), true) },
	},
	{
		Name:  "muteall",
		Help:  "mute public chat",
		Level: command.Owner,
		Bare:  muteAll(false),
	},
	{
		Name:  "unmuteall",
		Help:  "unmute public chat",
		Level: command.Owner,
		Bare:  muteAll(true),
	},
	{
		Name:  "journal",
		Help:  "keep this game's journal, for a bug report",
		Level: command.Admin,
		Bare:  show(keepJournal),
	},
	{
		Name:     "say",
		Usage:    "<text>",
		Help:     "say something as the host",
		Examples: []string{"say Two minutes left"},
		Level:    command.Owner,
		Parse:    func(a *args) act { return sayAll(a.Text("text")) },
	},
	{
		Name:     "latency",
		Usage:    "[20-500]",
		Help:     "show or set the milliseconds between turns",
		Examples: []string{"latency 80"},
		Level:    command.Owner,
		Bare:     show(latency),
		Parse:    with(milliseconds(w3gs.MinPeriod, w3gs.MaxPeriod), setLatency),
	},
	{
		Name:      "equalise",
		Aliases:   []string{"equalize"},
		Usage:     "[on|off]",
		Help:      "show or set whether actions wait for the slowest connection, two turns at most, so that a faster one gives no advantage",
		Examples:  []string{"equalise on"},
		Level:     command.Owner,
		AskAnyone: true,
		Bare:      show(equalised),
		Parse:     with(onOff, setEqualise),
	},
	{
		Name:      "shareunits",
		Usage:     "[on|off]",
		Help:      "show or set whether the units of players who leave, and of fake players, are shared with their allies",
		Examples:  []string{"shareunits on"},
		Level:     command.Owner,
		AskAnyone: true,
		Bare:      show(sharing),
		Parse:     with(onOff, setSharing),
	},
	{
		Name:     "synclimit",
		Usage:    "[turns]",
		Help:     "show or set how many turns of 100 ms a player may be behind",
		Examples: []string{"synclimit 50"},
		Level:    command.Owner,
		Bare:     show(syncLimit),
		Parse:    with(func(a *args) int { return a.Number("number of turns", 2, w3gs.MaxSyncLimit) }, setSyncLimit),
	},
}

// inGame holds the commands of running games.
var inGame = command.Table[*Machine]{
	{
		Name:  "drop",
		Help:  "drop the players on the lag screen",
		Level: command.Owner,
		Bare:  dropLaggers,
	},
	{
		Name:    "pause",
		Aliases: []string{"fppause"},
		Help:    "pause the game (needs a fake player)",
		Level:   command.Owner,
		Bare:    fakeAction(actionPause),
	},
	{
		Name:    "resume",
		Aliases: []string{"fpresume", "unpause"},
		Help:    "resume a paused game",
		Level:   command.Owner,
		Bare:    fakeAction(actionResume),
	},
	{
		Name:  "end",
		Help:  "end the game",
		Level: command.Owner,
		Bare:  end,
	},
}
