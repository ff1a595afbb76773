package command

import "slices"

// Spec is one command as the table has it.
type Spec struct {
	Name    string
	Aliases []string
	Usage   string // of the arguments
	Help    string
	Level   Level // who may use it
	Phase   Phase
	// AskAnyone lets everybody use it without arguments, to ask.
	AskAnyone bool

	parse func(a *args) Command
}

// Table lists all commands in the order of the help.
func Table() []Spec { return table }

// Find looks a command up by its name or an alias.
func Find(name string) (Spec, bool) {
	for _, s := range table {
		if s.Name == name || slices.Contains(s.Aliases, name) {
			return s, true
		}
	}
	return Spec{}, false
}

var table = []Spec{
	{Name: "help", Usage: "[command]", Help: "what you may do, or how a command works", Phase: Always, parse: func(a *args) Command { return Help{a.rest()} }},
	{Name: "ping", Usage: "[ms]", Help: "everybody's round trip; with a number, kick those above it", Level: Owner, AskAnyone: true, Phase: Always, parse: parsePing},
	{Name: "version", Help: "which program hosts here", Phase: Always, parse: func(*args) Command { return Version{} }},

	{Name: "start", Usage: "[force|now]", Help: "start the countdown; force skips the checks, now skips the count", Level: StandIn, Phase: InLobby, parse: parseStart},
	{Name: "abort", Aliases: []string{"a"}, Help: "stop the countdown", Level: StandIn, Phase: InLobby, parse: func(*args) Command { return Abort{} }},
	{Name: "autostart", Usage: "<players|off> [minutes]", Help: "start by itself with so many players, when they have been in for so long", Level: Owner, Phase: InLobby, parse: parseAutoStart},
	{Name: "open", Usage: "<slot> ...", Help: "open slots", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Open{a.slots()} }},
	{Name: "close", Usage: "<slot> ...", Help: "close slots; a player in one is kicked", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Close{a.slots()} }},
	{Name: "openall", Help: "open every closed slot", Level: Owner, Phase: InLobby, parse: func(*args) Command { return OpenAll{} }},
	{Name: "closeall", Help: "close every open slot", Level: Owner, Phase: InLobby, parse: func(*args) Command { return CloseAll{} }},
	{Name: "swap", Usage: "<slot> <slot>", Help: "exchange two slots", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Swap{a.slot(), a.slot()} }},
	{Name: "shuffle", Aliases: []string{"sp"}, Help: "deal the players anew to their places", Level: Owner, Phase: InLobby, parse: func(*args) Command { return Shuffle{} }},
	{Name: "hold", Usage: "<name> ...", Help: "keep a place for a name, also for one who was kicked", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Hold{a.nameList()} }},
	{Name: "unhold", Usage: "<name> ...", Help: "take a reservation back", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Unhold{a.nameList()} }},
	{Name: "kick", Usage: "<player> [reason]", Help: "remove a player, who is kept out for a while", Level: Owner, Phase: Always, parse: func(a *args) Command { return Kick{Player: a.player(0), Reason: a.rest()} }},
	{Name: "closekick", Usage: "<player> [reason]", Help: "the same, and close the slot", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Kick{Player: a.player(0), Reason: a.rest(), CloseSlot: true} }},
	{Name: "comp", Usage: "<slot> [easy|normal|insane]", Help: "put a computer into a slot", Level: Owner, Phase: InLobby, parse: parseComputer},
	{Name: "compteam", Usage: "<slot> <team>", Help: "team of a computer", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Team{Target{Slot: a.slot()}, a.ordinal("team")} }},
	{Name: "compcolour", Aliases: []string{"compcolor"}, Usage: "<slot> <colour>", Help: "colour of a computer", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Colour{Target{Slot: a.slot()}, a.colour()} }},
	{Name: "comprace", Usage: "<slot> <race>", Help: "race of a computer", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Race{Target{Slot: a.slot()}, a.race()} }},
	{Name: "comphandicap", Usage: "<slot> <50-100>", Help: "handicap of a computer", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Handicap{Target{Slot: a.slot()}, a.handicap()} }},
	{Name: "team", Usage: "<player> <team>", Help: "team of a player", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Team{Target{Player: a.player(1)}, a.ordinal("team")} }},
	{Name: "colour", Aliases: []string{"color"}, Usage: "<player> <colour>", Help: "colour of a player", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Colour{Target{Player: a.player(1)}, a.colour()} }},
	{Name: "race", Usage: "<player> <race>", Help: "race of a player", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Race{Target{Player: a.player(1)}, a.race()} }},
	{Name: "handicap", Usage: "<player> <50-100>", Help: "handicap of a player", Level: Owner, Phase: InLobby, parse: func(a *args) Command {
		return Handicap{Target{Player: a.player(1)}, a.handicap()}
	}},
	{Name: "obs", Usage: "<player>", Help: "move a player to the observers", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Observe{a.onlyPlayer()} }},
	{Name: "fakeplayer", Aliases: []string{"fp"}, Usage: "[count]", Help: "add players that only hold a slot", Level: Owner, Phase: InLobby, parse: parseFakePlayer},
	{Name: "deletefp", Help: "remove all fake players", Level: Owner, Phase: InLobby, parse: func(*args) Command { return DeleteFake{} }},
	{Name: "hcl", Usage: "[mode]", Help: "show or set the mode string of the map", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return HCL{a.rest()} }},
	{Name: "clearhcl", Help: "remove the mode string", Level: Owner, Phase: InLobby, parse: func(*args) Command { return ClearHCL{} }},
	{Name: "owner", Usage: "[player]", Help: "show who owns the lobby, or give it away", Level: Owner, AskAnyone: true, Phase: Always, parse: func(a *args) Command { return parseOwner(a) }},
	{Name: "download", Aliases: []string{"dl"}, Usage: "<player>", Help: "let one player have the map", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Download{a.onlyPlayer()} }},
	{Name: "downloads", Usage: "<on|off|ask>", Help: "who may download the map", Level: Owner, Phase: InLobby, parse: func(a *args) Command { return Downloads{a.oneOf("on", "off", "ask")} }},
	{Name: "unhost", Help: "close the lobby", Level: Owner, Phase: InLobby, parse: func(*args) Command { return Unhost{} }},

	{Name: "latency", Usage: "[20-500]", Help: "show or set the milliseconds between turns", Level: Owner, Phase: Always, parse: parseLatency},
	{Name: "synclimit", Usage: "[turns]", Help: "show or set how far a player may be behind", Level: Owner, Phase: Always, parse: parseSyncLimit},
	{Name: "drop", Help: "drop the players on the lag screen", Level: Owner, Phase: InGame, parse: func(*args) Command { return Drop{} }},
	{Name: "end", Help: "end the game", Level: Owner, Phase: InGame, parse: func(*args) Command { return End{} }},
	{Name: "mute", Usage: "<player>", Help: "stop relaying a player's lines", Level: Owner, Phase: Always, parse: func(a *args) Command { return Mute{Player: a.onlyPlayer()} }},
	{Name: "unmute", Usage: "<player>", Help: "relay a player's lines again", Level: Owner, Phase: Always, parse: func(a *args) Command { return Mute{Player: a.onlyPlayer(), Off: true} }},
	{Name: "muteall", Help: "stop lines to everybody", Level: Owner, Phase: Always, parse: func(*args) Command { return MuteAll{} }},
	{Name: "unmuteall", Help: "allow lines to everybody", Level: Owner, Phase: Always, parse: func(*args) Command { return MuteAll{Off: true} }},
	{Name: "say", Usage: "<text>", Help: "let the host say something", Level: Owner, Phase: Always, parse: func(a *args) Command { return Say{a.text("text")} }},
}
