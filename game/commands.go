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

// commands holds all commands of a game. It is set in init, because the help command refers to it.
var commands command.Table[*Machine]

// Commands returns the commands of a game, for the documentation and package control.
func Commands() command.Table[*Machine] { return commands }

// Tables passed without command.For set levels and phases themselves.
func init() {
	commands = slices.Concat(
		command.Grouped("basic", command.For(command.Anyone, command.Always, always), who),
		command.Grouped("lobby", command.For(command.Owner, command.InLobby, inLobby, setup), command.For(command.Anyone, command.InLobby, listing), versions),
		command.Grouped("slots", command.For(command.Owner, command.InLobby, occupants)),
		command.Grouped("play", command.For(command.Anyone, command.InGame, inGame), saving),
		command.Grouped("votes", command.For(command.Anyone, command.Always, voting), command.For(command.Anyone, command.InGame, verdicts)),
		command.Grouped("scores", scores),
		command.Grouped("talk", voice, self, command.For(command.Anyone, command.Always, chance)),
		command.Grouped("moderation", command.For(command.Admin, command.Anywhere, moderation)),
	)
}

// with returns the Parse function of a command with one argument.
func with[T any](read func(*args) T, do func(m *Machine, c *call, value T) error) func(*args) act {
	return func(a *args) act {
		value := read(a)
		return func(m *Machine, c *call) error { return do(m, c, value) }
	}
}

func onOff(a *args) bool { return a.OneOf("on", "off") == "on" }

// milliseconds returns a parser for a duration within bounds.
func milliseconds(low, high time.Duration) func(*args) time.Duration {
	return func(a *args) time.Duration {
		return time.Duration(a.Number("number of milliseconds", int(low/time.Millisecond), int(high/time.Millisecond))) * time.Millisecond
	}
}

// op returns the act of a command that is one operation of the lobby.
func op(o lobby.Operation) act {
	return func(m *Machine, _ *call) error { return m.try(o) }
}

// onPlayer returns the act of a command about one player.
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

// opOn returns the act of an operation on one player.
func opOn(part string, make func(lobby.Player) lobby.Operation) act {
	return onPlayer(part, func(m *Machine, _ *call, p lobby.Player) error { return m.try(make(p)) })
}

// setPlayer parses "<player> <value>" for an attribute of a player's slot.
func setPlayer(what w3gs.ChatFlag, read func(*args) uint8) func(*args) act {
	return func(a *args) act {
		part, value := a.Player(1), read(a)
		return opOn(part, func(p lobby.Player) lobby.Operation { return lobby.Set{Slot: p.Slot, What: what, Value: value} })
	}
}

// setComputer parses "<slot> <value>".
func setComputer(what w3gs.ChatFlag, read func(*args) uint8) func(*args) act {
	return func(a *args) act { return op(lobby.Set{Slot: a.Slot(), What: what, Value: read(a)}) }
}

// swap parses two slots, each given by number or by the player in it.
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
	return func(m *Machine, _ *call) (err error) {
		var slots [2]int
		for i := range slots {
			if slots[i], err = find[i](m); err != nil {
				return err
			}
		}
		return m.try(lobby.Swap{A: slots[0], B: slots[1]})
	}
}

func team(a *args) uint8 { return uint8(a.Ordinal("team") - 1) }

// layout parses the arrangement of all teams.
func layout(a *args) act {
	switch a.OneOf("ffa", "teams", "vsall", "vsai") {
	case "teams":
		return op(lobby.SetTeams{Rule: lobby.TwoTeams})
	case "vsai":
		return op(lobby.SetTeams{Rule: lobby.AgainstComputers})
	case "vsall":
		return opOn(a.OnlyPlayer(), func(p lobby.Player) lobby.Operation { return lobby.SetTeams{Rule: lobby.OneAgainstAll, PID: p.PID} })
	}
	return op(lobby.SetTeams{})
}

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

// strength parses the strength of a computer.
func strength(a *args) w3gs.AI {
	w := strings.ToLower(a.Optional())
	ai, known := strengths[w]
	if !known {
		a.Fail("%q is not a strength: use easy, normal or insane", w)
	}
	return ai
}

// hold reserves places. Places reserved by admins and by exempt players also exempt their holders from limits and votes.
func hold(o lobby.Hold) act {
	return func(m *Machine, c *call) error {
		by, _ := m.lobby.Player(c.PID)
		o.Spare = c.Level >= command.Admin || by.Spared
		return m.try(o)
	}
}

func kick(part, why string, closeSlot bool) act {
	return onPlayer(part, func(m *Machine, c *call, p lobby.Player) error {
		return m.try(lobby.Kick{PID: p.PID, Why: texts.Plain(why), By: c.Name, CloseSlot: closeSlot, KeepOut: true})
	})
}

func mute(part string, off bool) act {
	return opOn(part, func(p lobby.Player) lobby.Operation { return lobby.Mute{PID: p.PID, Off: off} })
}

func hcl(m *Machine, _ *call, text string) error {
	if err := m.try(lobby.HCL{Text: text}); err != nil {
		return err
	}
	return m.say(0, "The mode is now %q.", text)
}

func allowDownload(m *Machine, _ *call, p lobby.Player) error {
	m.xfer.Allow(m.now, p.PID)
	return nil
}

func downloads(m *Machine, _ *call, word string) error {
	mode, err := mapxfer.ParseMode(word)
	if err != nil {
		return err
	}
	m.xfer.SetMode(m.now, mode)
	return m.say(0, "Map downloads: %v.", mode)
}
