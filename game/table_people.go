package game

import (
	"w3host/game/command"
)

// loginCommand is handled by the host: its lines are removed from the chat before the game sees them.
const loginCommand = "login"

// scores holds the commands about past games.
var scores = command.Table[*Machine]{
	{
		Name:     "stats",
		Usage:    "[player]",
		Help:     "show a player's games, or your own",
		Examples: []string{"stats", "stats bob"},
		Ask:      func(a *args) command.Question { return about(a.Rest()) },
	},
	{
		Name:     "rank",
		Usage:    "[player]",
		Help:     "show a player's rating on this map, or your own",
		Examples: []string{"rank bob"},
		Ask:      func(a *args) command.Question { return about(a.Rest()) },
	},
	{
		Name:     "lastgame",
		Usage:    "[player]",
		Help:     "show the last game of a player, or yours: map, length, result and actions in a minute",
		Examples: []string{"lastgame", "lastgame bob"},
		Ask:      func(a *args) command.Question { return about(a.Rest()) },
	},
	{
		Name:     "top",
		Aliases:  []string{"top10"},
		Usage:    "[map]",
		Help:     "show the best players on this map, or on another",
		Examples: []string{"top", "top echo isles"},
		AsTyped:  true,
		Ask: func(a *args) command.Question {
			if a.Empty() {
				return command.Typed("")
			}
			return command.Typed(a.OnlyPlayer()) // parsed like a player's name, which may be quoted
		},
	},
	{
		Name:     "statsdota",
		Aliases:  []string{"sd"},
		Usage:    "[player]",
		Help:     "show a player's DotA games, or your own",
		Examples: []string{"statsdota bob"},
		Ask:      func(a *args) command.Question { return about(a.Rest()) },
	},
}

// self holds the commands about the caller.
var self = command.Table[*Machine]{
	{
		Name:    "checkme",
		Aliases: []string{"gproxy"},
		Help:    "show what the host knows about you",
		Phase:   command.Always,
		Ask:     func(*args) command.Question { return about("") },
		Before:  describeSelf,
	},
	{
		Name:     loginCommand,
		Phase:    command.Always,
		Usage:    "<password>",
		Help:     "prove that you are the admin of your name; nobody else sees the line",
		Examples: []string{"login correct-horse-battery"},
		Secret:   true,
		Parse: func(a *args) act {
			a.Text("password")
			return func(*Machine, *call) error {
				return cannot("log in from the chat of a lobby or game on the LAN")
			}
		},
	},
	{
		Name:          "lang",
		Aliases:       []string{"language"},
		Usage:         "[en|zh]",
		Help:          "show or choose the language the host uses with you",
		Examples:      []string{"lang zh"},
		Bare:          show(language),
		AsTyped:       true,
		KeptForCaller: true,
		Ask:           func(a *args) command.Question { return speak(a.Rest()) },
		Before:        speakTo,
	},
}

// moderation holds the commands about players, bans and admins.
var moderation = command.Table[*Machine]{
	{
		Name:     "check",
		Usage:    "<player>",
		Help:     "show a player's address, games, bans and other names",
		Examples: []string{"check bob"},
		Ask:      func(a *args) command.Question { return about(a.OnlyPlayer()) },
		Before:   describePlayer,
	},
	{
		Name:     "alts",
		Usage:    "<player>",
		Help:     "list other names seen from a player's addresses",
		Examples: []string{"alts bob"},
		Ask:      func(a *args) command.Question { return about(a.OnlyPlayer()) },
	},
	{
		Name:    "from",
		Aliases: []string{"where", "f"},
		Help:    "show everyone's address",
		Phase:   command.Always,
		Bare:    from,
	},
	{
		Name:     "ban",
		Aliases:  []string{"addban", "tempban", "tban", "pban"},
		Usage:    "<player|address|network> [time] [reason]",
		Help:     "ban a player for a time such as 30m, 12h, 7 days or 1 month; permanently without one",
		Examples: []string{"ban bob 7 days feeding", "ban 203.0.113.7 12h", "ban 203.0.113.0/24"},
		Ask:      func(a *args) command.Question { return ban(a.Player(0), a.Span(), a.Reason()) },
		Before:   putOut,
	},
	{
		Name:      "banip",
		Usage:     "<player|address|network> [time] [reason]",
		Help:      "ban a player's address",
		ByAddress: true,
		Examples:  []string{"banip bob 2w"},
		Ask:       func(a *args) command.Question { return ban(a.Player(0), a.Span(), a.Reason()) },
		Before:    putOut,
	},
	{
		Name:     "banlast",
		Aliases:  []string{"bl", "pbanlast"},
		Usage:    "[time] [reason]",
		Help:     "ban the player who left last",
		Examples: []string{"banlast 1d left early"},
		Phase:    command.Always,
		Ask:      func(a *args) command.Question { return ban("", a.Span(), a.Reason()) },
		Before:   lastGone,
	},
	{
		Name:     "unban",
		Aliases:  []string{"delban", "punban"},
		Usage:    "<player|address|network>",
		Help:     "end the bans of a name, an address or a network",
		Examples: []string{"unban Bob", "unban 203.0.113.7"},
		AsTyped:  true,
		Ask:      func(a *args) command.Question { return command.Typed(a.OnlyPlayer()) },
	},
	{
		Name:     "warn",
		Aliases:  []string{"punish"},
		Usage:    "<player> <reason>",
		Help:     "warn a player, who sees the reason; too many warnings lead to a ban",
		Examples: []string{"warn bob feeding"},
		Private:  true,
		Ask:      func(a *args) command.Question { return remark(a.Player(0), a.Text("reason")) },
		Notice:   "You are warned: %s.",
	},
	{
		Name:     "unwarn",
		Aliases:  []string{"delwarn"},
		Usage:    "<player>",
		Help:     "revoke a player's latest warning",
		Examples: []string{"unwarn bob"},
		Private:  true,
		Ask:      func(a *args) command.Question { return about(a.OnlyPlayer()) },
	},
	{
		Name:     "note",
		Usage:    "<player> <text>",
		Help:     "keep a note about a player, for admins",
		Examples: []string{"note bob plays with zoe"},
		Private:  true,
		Ask:      func(a *args) command.Question { return remark(a.Player(0), a.Text("text")) },
	},
	{
		Name:     "remarks",
		Aliases:  []string{"checkwarns", "warns", "notes"},
		Usage:    "<player>",
		Help:     "list the warnings and notes of a player",
		Examples: []string{"remarks bob"},
		Private:  true,
		Ask:      func(a *args) command.Question { return about(a.OnlyPlayer()) },
	},
	{
		Name:     "trust",
		Aliases:  []string{"safelist"},
		Usage:    "<player|address|network>",
		Help:     "exempt a player from rules and votes: limits of ping, rating and names, bans for leaving, votes to kick",
		Examples: []string{"trust bob", "trust Bob@home"},
		Ask:      func(a *args) command.Question { return about(a.OnlyPlayer()) },
	},
	{
		Name:     "untrust",
		Usage:    "<player|address|network>",
		Help:     "trust a player no longer",
		Examples: []string{"untrust bob"},
		AsTyped:  true,
		Ask:      func(a *args) command.Question { return command.Typed(a.OnlyPlayer()) },
	},
	{
		Name:    "trusted",
		Help:    "list the trusted players",
		AsTyped: true,
		Ask:     func(*args) command.Question { return command.Typed("") },
	},
	{
		Name:    "bans",
		Aliases: []string{"listbans"},
		Help:    "list the latest bans",
		AsTyped: true,
		Ask:     func(*args) command.Question { return command.Typed("") },
	},
	{
		Name:     "checkban",
		Usage:    "<player|address>",
		Help:     "check whether somebody is banned",
		Examples: []string{"checkban bob"},
		Ask:      func(a *args) command.Question { return about(a.OnlyPlayer()) },
	},
	{
		Name:     "addadmin",
		Aliases:  []string{"staff"},
		Usage:    "<player|address|network> [root] [from <address|network>]",
		Help:     "make a player an admin, or root, who can make admins; optionally only when joining from a network",
		Examples: []string{"addadmin Ann", "addadmin Ann root from 192.168.1.0/24"},
		Level:    command.Root,
		AsTyped:  true,
		Ask:      admin,
	},
	{
		Name:     "deladmin",
		Aliases:  []string{"delstaff"},
		Usage:    "<player|address|network>",
		Help:     "remove an admin",
		Examples: []string{"deladmin Ann"},
		Level:    command.Root,
		AsTyped:  true,
		Ask:      func(a *args) command.Question { return command.Typed(a.OnlyPlayer()) },
	},
	{
		Name:    "admins",
		Aliases: []string{"liststaff"},
		Help:    "list the admins",
		Level:   command.Root,
		AsTyped: true,
		Ask:     func(*args) command.Question { return command.Typed("") },
	},
	{
		Name:     "checkadmin",
		Aliases:  []string{"checkstaff"},
		Usage:    "<player>",
		Help:     "check whether somebody is an admin",
		Examples: []string{"checkadmin Ann"},
		Level:    command.Root,
		AsTyped:  true,
		Ask:      func(a *args) command.Question { return command.Typed(a.OnlyPlayer()) },
	},
}
