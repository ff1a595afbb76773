package game

import (
	"fmt"
	"strings"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// who holds the commands that show the players and what the start waits for.
var who = command.Table[*Machine]{
	{
		Name:    "players",
		Aliases: []string{"getplayers", "getobservers", "checkrace", "races"},
		Help:    "show who is in which team, and who plays which race",
		Phase:   command.Always,
		Bare:    players,
	},
	{
		Name:    "readystatus",
		Aliases: []string{"checkready"},
		Help:    "show who is not ready, and what the start waits for",
		Phase:   command.InLobby,
		Bare:    readyStatus,
	},
}

// players lists the teams, one line each, then the observers.
func players(m *Machine, c *call) error {
	var teams [w3gs.ObserverTeam24 + 1][]texts.Text // in a saved game, a computer may be in the observers' team
	var watching []string
	for _, s := range m.lobby.SlotTable().Slots {
		p, there := m.lobby.Player(s.PID)
		switch {
		case s.Computer:
			teams[s.Team] = append(teams[s.Team], texts.Of("a computer (%v)", raceName(s.Race)))
		case there && p.Observer:
			watching = append(watching, p.Name)
		case there:
			teams[p.Team] = append(teams[p.Team], texts.Of("%s (%v)", p.Name, raceName(s.Race)))
		}
	}
	var lines []texts.Text
	for team, members := range teams {
		if members != nil {
			lines = append(lines, texts.Of("Team %d: %v.", team+1, texts.Join(members, ", ")))
		}
	}
	if watching != nil {
		lines = append(lines, texts.Of("Observers: %s.", strings.Join(watching, ", ")))
	}
	if lines == nil {
		return m.answer(c, "Nobody is in the lobby.")
	}
	for _, line := range lines {
		m.reply(c.Caller, line, false)
	}
	return nil
}

var raceNames = map[w3gs.Race]texts.Text{
	w3gs.RaceHuman: texts.Of("human"), w3gs.RaceOrc: texts.Of("orc"), w3gs.RaceUndead: texts.Of("undead"),
	w3gs.RaceNightElf: texts.Of("night elf"), w3gs.RaceRandom: texts.Of("random"),
}

func raceName(r w3gs.Race) texts.Text {
	if name, known := raceNames[r&^w3gs.RaceSelectable]; known {
		return name
	}
	return texts.Plain(fmt.Sprintf("%#x", uint8(r)))
}

// readyStatus shows who is not ready and what else the start waits for.
func readyStatus(m *Machine, c *call) error {
	all, missing := m.lobby.Humans().Len(), m.names(func(p lobby.Player) bool { return !p.Ready })
	if all == 0 {
		return m.answer(c, "Nobody is in the lobby.")
	}
	if missing == nil {
		m.answer(c, "Everybody is ready (%d).", all)
	} else {
		m.answer(c, "%d of %d are ready. Not ready: %s.", all-len(missing), all, strings.Join(missing, ", "))
	}
	if why := m.lobby.Blocked(); !why.Empty() {
		return m.reply(c.Caller, texts.Sentence(texts.Of("Waiting to start: %v", why)), false)
	}
	return nil
}
