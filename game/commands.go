package game

import (
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

type (
	args = command.Args
	call = command.Call
	act  = command.Act[*Machine]
)

// commands are all commands of a game. init fills them in, because help reads them.
var commands command.Table[*Machine]

// Commands lists the commands of a game, for the documentation.
func Commands() command.Table[*Machine] { return commands }

func init() {
	for i := range people {
		people[i].Costly = true
	}
	commands = slices.Concat(always, inLobby, listing, inGame, voting, verdicts, people, voice)
}

// with makes the Parse of a command with one argument.
func with[T any](read func(*args) T, do func(m *Machine, c *call, value T) error) func(*args) act {
	return func(a *args) act {
		value := read(a)
		return func(m *Machine, c *call) error { return do(m, c, value) }
	}
}

// milliseconds reads a duration within bounds.
func milliseconds(low, high time.Duration) func(*args) time.Duration {
	return func(a *args) time.Duration {
		return time.Duration(a.Number("number of milliseconds", int(low/time.Millisecond), int(high/time.Millisecond))) * time.Millisecond
	}
}

// op is the act of a command that is one operation of the lobby.
func op(o lobby.Operation) act {
	return func(m *Machine, _ *call) error { return m.toLobby(o) }
}

// onPlayer is the act of a command about one player.
func onPlayer(part string, do func(m *Machine, c *call, p lobby.Player) error) act {
	return func(m *Machine, c *call) error {
		p, err := m.find(part)
		if err != nil {
			return err
		}
		c.Target = p.Name
		return do(m, c, p)
	}
}

// opOn is the act of an operation on one player.
func opOn(part string, make func(lobby.Player) lobby.Operation) act {
	return onPlayer(part, func(m *Machine, _ *call, p lobby.Player) error { return m.toLobby(make(p)) })
}

var always = command.Table[*Machine]{
	{Name: "help", Usage: "[command]", Help: "list your commands, or explain one", Examples: []string{"help start"}, Phase: command.Always, Parse: with((*args).Rest, help)},
	{Name: "ping", Aliases: []string{"pingall"}, Usage: "[ms]", Help: "show everyone's ping; with a number, kick those above it", Examples: []string{"ping", "ping 300"}, Level: command.Owner, AskAnyone: true, Phase: command.Always, Bare: ping, Parse: with(milliseconds(time.Millisecond, time.Minute), kickSlow)},
	{Name: "version", Aliases: []string{"about"}, Help: "show the host's version", Phase: command.Always, Bare: show(version)},
	{Name: "owner", Usage: "[player]", Help: "show who owns the lobby, or give it away", Examples: []string{"owner Bob"}, Level: command.Owner, AskAnyone: true, Phase: command.Always, Bare: show(owner), Parse: func(a *args) act {
		return opOn(a.OnlyPlayer(), func(p lobby.Player) lobby.Operation { return lobby.SetOwner{Player: p.Name} })
	}},
	{Name: "kick", Aliases: []string{"remove"}, Usage: "<player> [reason]", Help: "remove a player", Examples: []string{"kick bob too slow"}, Level: command.Owner, Phase: command.Always, Parse: func(a *args) act { return kick(a.Player(0), a.Rest(), false) }},
	{Name: "mute", Usage: "<player>", Help: "mute a player", Examples: []string{"mute bob"}, Level: command.Owner, Phase: command.Always, Parse: func(a *args) act { return mute(a.OnlyPlayer(), false) }},
	{Name: "unmute", Usage: "<player>", Help: "unmute a player", Examples: []string{"unmute bob"}, Level: command.Owner, Phase: command.Always, Parse: func(a *args) act { return mute(a.OnlyPlayer(), true) }},
	{Name: "muteall", Help: "mute public chat", Level: command.Owner, Phase: command.Always, Bare: muteAll(false)},
	{Name: "unmuteall", Help: "unmute public chat", Level: command.Owner, Phase: command.Always, Bare: muteAll(true)},
	{Name: "journal", Help: "keep this game's journal, for a bug report", Level: command.Owner, Phase: command.Always, Bare: show(keepJournal)},
	{Name: "say", Usage: "<text>", Help: "say something as the host", Examples: []string{"say Two minutes left"}, Level: command.Owner, Phase: command.Always, Parse: func(a *args) act { return op(lobby.Say{Text: texts.Plain(a.Text("text"))}) }},
	{Name: "latency", Usage: "[20-500]", Help: "show or set the milliseconds between turns", Examples: []string{"latency 80"}, Level: command.Owner, Phase: command.Always, Bare: show(latency), Parse: with(milliseconds(w3gs.MinPeriod, w3gs.MaxPeriod), setLatency)},
	{Name: "synclimit", Usage: "[turns]", Help: "show or set how far a player may be behind", Examples: []string{"synclimit 50"}, Level: command.Owner, Phase: command.Always, Bare: show(syncLimit), Parse: with(func(a *args) int { return a.Number("number of turns", 2, w3gs.MaxSyncLimit) }, setSyncLimit)},
}

var inLobby = command.Table[*Machine]{
	{Name: "start", Aliases: []string{"s", "go", "g", "vs"}, Usage: "[force|now]", Forms: map[string]string{"sn": "now", "quickstart": "now"}, Help: "start the countdown, once everybody's ping is known; force skips the checks, now skips the count as well", Examples: []string{"start", "start force"}, Level: command.StandIn, Phase: command.InLobby, Parse: start},
	{Name: "abort", Aliases: []string{"a"}, Help: "stop the countdown", Level: command.StandIn, Phase: command.InLobby, Urgent: true, Bare: op(lobby.Abort{})},
	{Name: "autostart", Usage: "<players|off> [minutes] [balanced] | ready [players]", Forms: map[string]string{"clearautostart": "off"}, Help: "start automatically with that many players, after that many minutes, or when all are ready; balanced: with even teams", Examples: []string{"autostart 8", "autostart 6 5 balanced", "autostart ready 4", "autostart off"}, Level: command.Owner, Phase: command.InLobby, Parse: autostart},
	{Name: "open", Usage: "<slot> ...", Help: "open slots", Examples: []string{"open 3 4"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return op(lobby.SetSlots{Slots: a.Slots()}) }},
	{Name: "close", Usage: "<slot> ...", Help: "close slots; a player in one is kicked", Examples: []string{"close 5 6"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return op(lobby.SetSlots{Slots: a.Slots(), Closed: true}) }},
	{Name: "openall", Help: "open every closed slot", Level: command.Owner, Phase: command.InLobby, Bare: op(lobby.SetSlots{})},
	{Name: "closeall", Help: "close every open slot", Level: command.Owner, Phase: command.InLobby, Bare: op(lobby.SetSlots{Closed: true})},
	{Name: "swap", Usage: "<slot|player> <slot|player>", Help: "swap two slots, or the players in them", Examples: []string{"swap 1 5", "swap bob ann"}, Level: command.Owner, Phase: command.InLobby, Parse: swap},
	{Name: "shuffle", Aliases: []string{"sp"}, Help: "shuffle the players", Level: command.Owner, Phase: command.InLobby, Bare: op(lobby.Shuffle{})},
	{Name: "balance", Help: "balance the teams by the players' ratings", Level: command.Owner, Phase: command.InLobby, Bare: balance},
	{Name: "hold", Aliases: []string{"reserve"}, Usage: "<name> ...", Help: "hold a place for a name", Examples: []string{"hold Ann \"Bob Lee\""}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return op(lobby.Hold{Names: a.NameList()}) }},
	{Name: "unhold", Aliases: []string{"unreserve"}, Usage: "<name> ...", Help: "release a held place", Examples: []string{"unhold Ann"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return op(lobby.Hold{Names: a.NameList(), Off: true}) }},
	{Name: "closekick", Usage: "<player> [reason]", Help: "remove a player and close their slot", Examples: []string{"closekick bob"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return kick(a.Player(0), a.Rest(), true) }},
	{Name: "comp", Usage: "<slot> [easy|normal|insane]", Help: "put a computer into a slot", Examples: []string{"comp 4 insane"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return op(lobby.Computer{Slot: a.Slot(), AI: strength(a)}) }},
	{Name: "compteam", Usage: "<slot> <team>", Help: "set the team of a computer", Examples: []string{"compteam 4 2"}, Level: command.Owner, Phase: command.InLobby, Parse: setComputer(w3gs.ChatTeam, team)},
	{Name: "compcolour", Aliases: []string{"compcolor"}, Usage: "<slot> <colour>", Help: "set the colour of a computer", Examples: []string{"compcolour 4 teal"}, Level: command.Owner, Phase: command.InLobby, Parse: setComputer(w3gs.ChatColour, (*args).Colour)},
	{Name: "comprace", Usage: "<slot> <race>", Help: "set the race of a computer", Examples: []string{"comprace 4 orc"}, Level: command.Owner, Phase: command.InLobby, Parse: setComputer(w3gs.ChatRace, (*args).Race)},
	{Name: "comphandicap", Usage: "<slot> <50-100>", Help: "set the handicap of a computer", Examples: []string{"comphandicap 4 80"}, Level: command.Owner, Phase: command.InLobby, Parse: setComputer(w3gs.ChatHandicap, (*args).Handicap)},
	{Name: "team", Usage: "<player> <team>", Help: "set the team of a player", Examples: []string{"team bob 2"}, Level: command.Owner, Phase: command.InLobby, Parse: setPlayer(w3gs.ChatTeam, team)},
	{Name: "colour", Aliases: []string{"color"}, Usage: "<player> <colour>", Help: "set the colour of a player", Examples: []string{"colour bob red"}, Level: command.Owner, Phase: command.InLobby, Parse: setPlayer(w3gs.ChatColour, (*args).Colour)},
	{Name: "race", Usage: "<player> <race>", Help: "set the race of a player", Examples: []string{"race bob nightelf"}, Level: command.Owner, Phase: command.InLobby, Parse: setPlayer(w3gs.ChatRace, (*args).Race)},
	{Name: "handicap", Usage: "<player> <50-100>", Help: "set the handicap of a player", Examples: []string{"handicap bob 90"}, Level: command.Owner, Phase: command.InLobby, Parse: setPlayer(w3gs.ChatHandicap, (*args).Handicap)},
	{Name: "obs", Aliases: []string{"observer"}, Usage: "<player>", Help: "move a player to the observers", Examples: []string{"obs bob"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act {
		return opOn(a.OnlyPlayer(), func(p lobby.Player) lobby.Operation { return lobby.Observe{PID: p.PID} })
	}},
	{Name: "fakeplayer", Aliases: []string{"fp"}, Usage: "[count]", Help: "add fake players, who only hold a slot", Examples: []string{"fakeplayer", "fakeplayer 3"}, Level: command.Owner, Phase: command.InLobby, Bare: op(lobby.FakePlayer{Count: 1}), Parse: func(a *args) act { return op(lobby.FakePlayer{Count: a.Ordinal("number of players")}) }},
	{Name: "deletefp", Aliases: []string{"deletefake"}, Help: "remove all fake players", Level: command.Owner, Phase: command.InLobby, Bare: op(lobby.DeleteFake{})},
	{Name: "hcl", Aliases: []string{"mode"}, Usage: "[mode]", Help: "show or set the mode string of the map", Examples: []string{"hcl ap"}, Level: command.Owner, Phase: command.InLobby, Bare: show(mode), Parse: with((*args).Rest, hcl)},
	{Name: "clearhcl", Help: "remove the mode string", Level: command.Owner, Phase: command.InLobby, Bare: op(lobby.HCL{})},
	{Name: "download", Aliases: []string{"dl"}, Usage: "<player>", Help: "allow one player to download the map", Examples: []string{"download bob"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return onPlayer(a.OnlyPlayer(), allowDownload) }},
	{Name: "downloads", Aliases: []string{"setdownloads", "maptransfers"}, Usage: "<on|off|ask>", Help: "set who may download the map", Examples: []string{"downloads ask"}, Level: command.Owner, Phase: command.InLobby, Parse: with(func(a *args) string { return a.OneOf("on", "off", "ask") }, downloads)},
	{Name: "unhost", Aliases: []string{"uh"}, Help: "close the lobby", Level: command.Owner, Phase: command.InLobby, Bare: op(lobby.Shutdown{Why: texts.Of("the lobby was closed by its owner")})},
}

var inGame = command.Table[*Machine]{
	{Name: "drop", Help: "drop the players on the lag screen", Level: command.Owner, Phase: command.InGame, Bare: dropLaggers},
	{Name: "pause", Aliases: []string{"fppause"}, Help: "pause the game (needs a fake player)", Level: command.Owner, Phase: command.InGame, Bare: fakeAction(actionPause)},
	{Name: "resume", Aliases: []string{"fpresume", "unpause"}, Help: "resume a paused game", Level: command.Owner, Phase: command.InGame, Bare: fakeAction(actionResume)},
	{Name: "end", Help: "end the game", Level: command.Owner, Phase: command.InGame, Bare: end},
}

// setPlayer reads "<player> <value>", for an attribute of a player's slot.
func setPlayer(what w3gs.ChatFlag, read func(*args) uint8) func(*args) act {
	return func(a *args) act {
		part, value := a.Player(1), read(a)
		return opOn(part, func(p lobby.Player) lobby.Operation { return lobby.Set{Slot: p.Slot, What: what, Value: value} })
	}
}

// setComputer reads "<slot> <value>".
func setComputer(what w3gs.ChatFlag, read func(*args) uint8) func(*args) act {
	return func(a *args) act { return op(lobby.Set{Slot: a.Slot(), What: what, Value: read(a)}) }
}

// swap reads two slots, each by its number or by the player in it.
func swap(a *args) act {
	var find [2]func(m *Machine) (int, error)
	for i := range find {
		if a.BeginsWithNumber() || a.Empty() {
			slot := a.Slot()
			find[i] = func(*Machine) (int, error) { return slot, nil }
			continue
		}
		part := a.Player(1 - i)
		find[i] = func(m *Machine) (int, error) {
			p, err := m.find(part)
			return p.Slot, err
		}
	}
	return func(m *Machine, _ *call) error {
		a, err := find[0](m)
		if err != nil {
			return err
		}
		b, err := find[1](m)
		if err != nil {
			return err
		}
		return m.toLobby(lobby.Swap{A: a, B: b})
	}
}

func team(a *args) uint8 { return uint8(a.Ordinal("team") - 1) }

func start(a *args) act {
	w := strings.ToLower(a.Optional())
	if w != "" && w != "force" && w != "now" {
		a.Fail("%q is not an option: use force or now", w)
	}
	return op(lobby.Start{Force: w != "", Now: w == "now"})
}

func autostart(a *args) act {
	if a.Is("off") {
		return op(lobby.AutoStart{})
	}
	if a.Begins("ready") {
		o := lobby.AutoStart{Players: 2, Ready: true}
		if !a.Empty() {
			o.Players = a.Ordinal("number of players")
		}
		return op(o)
	}
	o := lobby.AutoStart{Players: a.Ordinal("number of players")}
	o.Balanced = a.Is("balanced")
	if !o.Balanced && !a.Empty() {
		o.Hold = time.Duration(a.Number("number of minutes", 0, 24*60)) * time.Minute
		o.Balanced = a.Is("balanced")
	}
	return op(o)
}

var strengths = map[string]w3gs.AI{"": w3gs.AINormal, "easy": w3gs.AIEasy, "normal": w3gs.AINormal, "insane": w3gs.AIInsane}

// strength reads the strength of a computer.
func strength(a *args) w3gs.AI {
	w := strings.ToLower(a.Optional())
	ai, known := strengths[w]
	if !known {
		a.Fail("%q is not a strength: use easy, normal or insane", w)
	}
	return ai
}

func kick(part, why string, closeSlot bool) act {
	return onPlayer(part, func(m *Machine, c *call, p lobby.Player) error {
		return m.toLobby(lobby.Kick{PID: p.PID, Why: texts.Plain(why), By: c.Name, CloseSlot: closeSlot, KeepOut: true})
	})
}

func mute(part string, off bool) act {
	return opOn(part, func(p lobby.Player) lobby.Operation { return lobby.Mute{PID: p.PID, Off: off} })
}

func hcl(m *Machine, _ *call, text string) error {
	if err := m.toLobby(lobby.HCL{Text: text}); err != nil {
		return err
	}
	return m.say(0, "The mode is now %q.", text)
}

func allowDownload(m *Machine, _ *call, p lobby.Player) error {
	m.toTransfer(mapxfer.Allow{PID: p.PID})
	return nil
}

func downloads(m *Machine, _ *call, word string) error {
	mode, err := mapxfer.ParseMode(word)
	if err != nil {
		return err
	}
	m.toTransfer(mapxfer.SetMode{Mode: mode})
	return m.say(0, "Map downloads: %v.", mode)
}
