package control

import (
	"slices"
	"strings"

	"w3host/game"
	"w3host/game/command"
)

type (
	args = command.Args
	call = command.Call
	act  = command.Act[*target]
)

// reloadCommand is also run on SIGHUP.
const reloadCommand = "reload"

// commands is the table of the host's own commands; everything also contains those of games, of which some only query
// the database. They are set in init, because the help command reads them.
var commands, everything command.Table[*target]

func init() {
	commands = command.Grouped(command.HostGroup, reachCommands(), lobbyCommands(), mapCommands(), lineCommands(), runCommands())
	everything = slices.Clone(commands)
	for _, s := range game.Commands() {
		everything = append(everything, command.Facts[*target](s))
	}
}

// reachCommands returns the commands that list games and run commands in them.
func reachCommands() command.Table[*target] {
	return command.Table[*target]{
		{
			Name:      "help",
			Aliases:   []string{"?"},
			Usage:     "[command|group]",
			Help:      "list the groups of commands or one group, or explain a command",
			Examples:  []string{"help", "help hosting", "help games"},
			Unaudited: command.All,
			Parse:     func(a *args) act { return help(a.Rest()) },
		},
		{
			Name:      "games",
			Aliases:   []string{"getgames", "listgames", "lobbies", "status"},
			Help:      "list the open lobbies; admins also see running games and private lobbies",
			Unaudited: command.All,
			Bare:      games,
		},
		{
			Name:      "game",
			Aliases:   []string{"getgame"},
			Usage:     "<id>",
			Help:      "show one lobby or game with its players; 2-17 is number 17 of host 2",
			Examples:  []string{"game 3", "game 2-17"},
			Level:     command.Admin,
			Unaudited: command.All,
			Parse:     func(a *args) act { return oneGame(a.Before(), gameID(a)) },
		},
		{
			Name:      "eg",
			Aliases:   []string{"egame"},
			Usage:     "<id> <command>",
			Help:      "run a command in another lobby or game; 2-17 is number 17 of host 2",
			Examples:  []string{"eg 3 kick bob", "eg 2-17 kick bob"},
			Level:     command.Admin,
			Unaudited: command.All,
			Parse:     func(a *args) act { return inGame(a.Before(), gameID(a), a.Text("command")) },
		},
		{
			Name:      "at",
			Usage:     "<host> <command>",
			Help:      "run a command on another host of the fleet",
			Examples:  []string{"at 2 exit nice", "at 2 unhost 17"},
			Level:     command.Admin,
			Unaudited: command.All,
			Parse: func(a *args) act {
				host := a.Number("number of the host", 1, 1<<20)
				return inGame(host, 0, a.Text("command"))
			},
		},
	}
}

// lobbyCommands returns the commands that open and close lobbies.
func lobbyCommands() command.Table[*target] {
	return command.Table[*target]{
		{
			Name:     "host",
			Usage:    "<map> [name] [key=value ...] [--owner <name>]",
			Help:     "open one more lobby; put a map name of several words in quotes; settings are observers, speed and visibility as in the configuration, and teams_together, lock_teams, shared_control, random_hero and random_races, each on or off; --owner: for somebody else",
			Examples: []string{"host echo", "host \"echo isles\" 1v1 ladder", "host echo observers=referees random_races=on --owner Bob@home"},
			Level:    command.Admin,
			Hosting:  true,
			Parse: func(a *args) act {
				file := a.Phrase("map")
				if isSave(file) || isReplay(file) { // openSaved explains why a replay cannot be continued
					return openSaved(file, a)
				}
				return open(file, readRequest(a))
			},
		},
		{
			Name:     "hostsave",
			Aliases:  []string{"hostsg", "loadsg"},
			Usage:    "<file> [slot=player ...] [replay] [name] [--owner <name>]",
			Help:     "open a lobby for a saved game and its players; if the game was not hosted here, add slot=name for each, or a replay of it",
			Examples: []string{"hostsave friday.w3z", "hostsave friday.w3z 1=Ann 4=Bob@Home Friday goes on"},
			Level:    command.Admin,
			Parse:    func(a *args) act { return openSaved(a.Phrase("file"), a) },
		},
		{
			Name:     "pub",
			Usage:    "[name] [key=value ...] [--owner <name>]",
			Help:     "open one more lobby with the next map",
			Examples: []string{"pub 3v3 for all", "pub --owner Bob@home"},
			Level:    command.Admin,
			Hosting:  true,
			Parse:    func(a *args) act { return openNext(readRequest(a), false) },
		},
		{
			Name:     "priv",
			Usage:    "[name] [key=value ...] [--owner <name>]",
			Help:     "open one more lobby that is not listed; on a realm, players can join it by name",
			Examples: []string{"priv friends only"},
			Level:    command.Admin,
			Hosting:  true,
			Parse:    func(a *args) act { return openNext(readRequest(a), true) },
		},
		{
			Name:     "unhost",
			Aliases:  []string{"uh"},
			Usage:    "[id]",
			Help:     "close a lobby, or end a game that still runs in the old process after an upgrade; no number is needed if only one lobby is open, or only one is yours",
			Examples: []string{"unhost 3"},
			Level:    command.Owner,
			Parse: func(a *args) act {
				if a.Empty() {
					return unhostOnly
				}
				return unhost(gameID(a))
			},
		},
	}
}

// mapCommands returns the commands about maps, realms and announcements.
func mapCommands() command.Table[*target] {
	return command.Table[*target]{
		{
			Name:      "realms",
			Help:      "list the realms: whether the host is logged on, and where they send players",
			Level:     command.Admin,
			Unaudited: command.All,
			Bare:      realms,
		},
		{
			Name:     "sendlan",
			Usage:    "<address> [port]",
			Help:     "announce a lobby to one more address, as of a player behind a VPN; without a port, to 6112",
			Examples: []string{"sendlan 10.8.0.5", "eg 3 sendlan 10.8.0.5 6113"},
			Level:    command.Admin,
			Parse:    sendLAN,
		},
		{
			Name:      "sc",
			Usage:     "[code]",
			Help:      "confirm your name: type it in the lobby, or whisper it to the host on the realm",
			Examples:  []string{"sc 123456"},
			Unaudited: command.All,
			Parse:     func(a *args) act { return confirm(a.Rest()) },
		},
		{
			Name:      "maps",
			Usage:     "[part of a name]",
			Help:      "list the maps that can be hosted",
			Examples:  []string{"maps echo"},
			Level:     command.Admin,
			Unaudited: command.All,
			Parse:     func(a *args) act { return maps(pattern(a)) },
		},
		{
			Name:      "map",
			Aliases:   []string{"load"},
			Usage:     "[part of a name] [always]",
			Help:      "show or choose the map of the next lobby; always: of all that follow, too",
			Examples:  []string{"map echo", "map echo always"},
			Level:     command.Admin,
			Unaudited: command.Asking,
			Parse: func(a *args) act {
				if a.Empty() {
					return showMap
				}
				always := a.Ends("always")
				return nextMap(strings.Trim(a.Text("map"), `"`), always)
			},
		},
		{
			Name:      "votemap",
			Usage:     "[part of a name]",
			Help:      "vote for the next map, or show the votes",
			Examples:  []string{"votemap", "votemap echo"},
			Unaudited: command.All,
			Parse: func(a *args) act {
				if a.Empty() {
					return votes
				}
				return vote(pattern(a))
			},
		},
	}
}

// lineCommands returns the commands that send messages to players.
func lineCommands() command.Table[*target] {
	return command.Table[*target]{
		{
			Name:     "say",
			Usage:    "<text>",
			Help:     "say something in all lobbies",
			Examples: []string{"say The host restarts at nine"},
			Level:    command.Admin,
			Parse:    func(a *args) act { return say(a.Text("text"), false) },
		},
		{
			Name:     "saygame",
			Usage:    "<id> <text>",
			Help:     "say something in one lobby or game",
			Examples: []string{"saygame 3 The host restarts at nine"},
			Level:    command.Admin,
			Parse: func(a *args) act {
				host, id := a.Before(), gameID(a)
				return inGame(host, id, "say "+a.Text("text"))
			},
		},
		{
			Name:     "invite",
			Usage:    "<player>@<realm>",
			Help:     "tell somebody on a realm where your lobby is; each person once in five minutes",
			Examples: []string{"invite bob@home"},
			Level:    command.Owner,
			Parse:    func(a *args) act { return invite(a.OnlyPlayer()) },
		},
		{
			Name:     "saygames",
			Usage:    "<text>",
			Help:     "say something in all lobbies and games",
			Examples: []string{"saygames The host restarts at nine"},
			Level:    command.Admin,
			Parse:    func(a *args) act { return say(a.Text("text"), true) },
		},
		{
			Name:     "w",
			Aliases:  []string{"tell"},
			Usage:    "<player> <text>",
			Help:     "say something to one player, wherever they are",
			Examples: []string{"w bob hello"},
			Level:    command.Admin,
			Parse:    func(a *args) act { return whisper(a.Player(1), a.Text("text")) },
		},
	}
}

// runCommands returns the commands that control the host itself.
func runCommands() command.Table[*target] {
	return command.Table[*target]{
		{
			Name:      "autohost",
			Usage:     "[on|off|<games> <players> <name>]",
			Help:      "show what is autohosted, stop or resume it, or change an entry until the next reload: its limit of games, the players it starts with, its name",
			Examples:  []string{"autohost off", "autohost 10 8 3v3 for all"},
			Level:     command.Admin,
			Unaudited: command.Asking,
			Parse:     autohosting,
		},
		{
			Name:  "disable",
			Help:  "open no new lobbies; running games go on",
			Level: command.Root,
			Bare:  disable(true),
		},
		{
			Name:  "enable",
			Help:  "open lobbies again",
			Level: command.Root,
			Bare:  disable(false),
		},
		{
			Name:    reloadCommand,
			Aliases: []string{"synccfg", "cachemaps"},
			Help:    "reload the configuration and the maps; running games are not affected",
			Level:   command.Root,
			Bare:    reload,
		},
		{
			Name:     "upgrade",
			Usage:    "[program]",
			Help:     "switch to the newly installed program, or to another one, without ending games or lobbies with players; needs w3host serve --supervise",
			Examples: []string{"upgrade", "upgrade /opt/w3host-next"},
			Level:    command.Root,
			Parse: func(a *args) act {
				if a.Empty() {
					return upgrade("")
				}
				return upgrade(a.Phrase("program"))
			},
		},
		{
			Name:     "exit",
			Aliases:  []string{"quit"},
			Usage:    "[nice|force]",
			Help:     "stop the host: nice waits for the last game, force stops at once; without either, only if no game is running",
			Examples: []string{"exit nice"},
			Level:    command.Root,
			Parse:    exit,
		},
	}
}

// gameID parses the number of a lobby or game.
func gameID(a *args) uint32 { return uint32(a.Number("number of the game", 1, 1<<28-1)) }

// pattern returns the remaining arguments as a part of a map name, without quotes.
func pattern(a *args) string { return strings.Trim(a.Rest(), `"`) }
