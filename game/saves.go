package game

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Actions by which a player saves the game, and reports that the client has finished. All clients save at the same time,
// each into its own folder.
const (
	actionSave  = 0x06
	actionSaved = 0x07
)

const (
	// noteEvery is the interval at which saves of one player are announced and recorded, after the first three.
	noteEvery = time.Minute
	noteBurst = 3 * noteEvery
	// saveEvery is the minimum time between two saves by the host, since each stops the game for all.
	saveEvery = time.Minute
	// autosaveAfter is the game time before which automatic saves are not worthwhile.
	autosaveAfter = 7 * time.Minute
	// saveVersion is the first version in which the save action has unknown fields.
	saveVersion = w3gs.ReforgedVersion
	longestSave = 64 // in bytes of the shown file name
)

// saving holds the commands about saved games.
var saving = command.Table[*Machine]{
	{
		Name:      "saves",
		Usage:     "[player]",
		Help:      "list the latest saves of your games",
		Examples:  []string{"saves", "saves bob"},
		Level:     command.Admin,
		AskAnyone: true,
		Ask:       savesOf,
	},
	{
		Name:  "save",
		Help:  "save the game on the computers of all players, through a fake player",
		Level: command.Owner,
		Phase: command.InGame,
		Bare:  save,
	},
	{
		Name:     "autosave",
		Usage:    "<on|off>",
		Help:     "save the game whenever a player loses the connection after the first minutes",
		Examples: []string{"autosave on"},
		Level:    command.Owner,
		Phase:    command.Always,
		Parse:    with(onOff, setAutosave),
	},
}

// savesOf asks for the saved games of a player; "" means the caller, or everybody for the operator.
func savesOf(a *args) command.Question {
	name := ""
	if !a.Empty() {
		name = a.OnlyPlayer()
	}
	return func(by *command.Caller, q *command.Query) error {
		if q.Name = name; name == "" && (by.PID != 0 || by.Realm != "") {
			q.Name = by.Name
		}
		return nil
	}
}

// noteSave reports that a player saved the game, if the actions contain a save.
func (m *Machine) noteSave(pid uint8, data []byte) {
	for a := range m.cfg.Version.LiveActions().Actions(data) {
		if a.ID != actionSave || !a.Known || m.turns.Loading() {
			continue
		}
		if s := m.seats[pid]; s != nil && s.saves.Take(m.now, noteEvery, noteBurst) > 0 {
			return
		}
		name, _, _ := bytes.Cut(a.Data[1:], []byte{0})
		file, _ := texts.Cut(w3gs.PlainLine(strings.ToValidUTF8(string(name), "?")), longestSave)
		f := &GameSaved{Player: m.player(pid), File: file, Played: m.turns.GameTime()}
		m.fact(f)
		m.say(0, "%s saved the game as %q at %s.", f.Name, f.File, texts.Clock(f.Played))
		return
	}
}

func save(m *Machine, _ *call) error {
	fake, err := m.actor()
	switch wait := m.settings.savedAt + saveEvery - m.now; {
	case err != nil:
		return err
	case m.cfg.Version >= saveVersion:
		return texts.Refuse(texts.Fixed, "the host cannot save games of %s: use the game's menu", m.cfg.Version.String())
	case m.settings.savedAt > 0 && wait > 0:
		return texts.Refuse(texts.NotYet, "the game was just saved: wait %v", wait.Round(time.Second))
	}
	m.saveBy(fake)
	return nil
}

// saveBy saves the game in the name of a player. Clients wait until each player has reported the end of the save; the
// host does so for fake players. The seed in the file name identifies the game.
func (m *Machine) saveBy(pid uint8) {
	m.settings.savedAt = max(m.now, 1)
	file := fmt.Sprintf("w3host %08x %s.w3z", m.cfg.Lobby.RandomSeed, clockInName(m.turns.GameTime()))
	m.act(pid, append(append([]byte{actionSave}, file...), 0))
	for _, p := range m.lobby.Fakes() {
		if p.PID == m.started.Watchers {
			continue
		}
		m.act(p.PID, binary.LittleEndian.AppendUint32([]byte{actionSaved}, 1))
	}
}

// clockInName formats a game time for a file name: 8m20, or 1h08m20.
func clockInName(d time.Duration) string {
	clock := texts.Clock(d)
	if strings.Count(clock, ":") > 1 {
		clock = strings.Replace(clock, ":", "h", 1)
	}
	return strings.Replace(clock, ":", "m", 1)
}

func setAutosave(m *Machine, _ *call, on bool) error {
	if m.cfg.Version >= saveVersion {
		return texts.Refuse(texts.Fixed, "the host cannot save games of %s: use the game's menu", m.cfg.Version.String())
	}
	m.settings.autosave = on
	return m.sayText(0, texts.If(on, "The game is saved whenever a player loses the connection.", "The game is not saved automatically any more."))
}

// autosave saves the game for a player whose connection is lost, through a fake player or in the name of that player,
// whose actions are sent before the leave.
func (m *Machine) autosave(pid uint8) {
	if !m.settings.autosave || m.turns == nil || m.turns.Loading() || m.turns.GameTime() < autosaveAfter ||
		m.settings.savedAt > 0 && m.now < m.settings.savedAt+saveEvery {
		return
	}
	if fake, err := m.actor(); err == nil {
		pid = fake
	} else if !m.turns.Live().Has(pid) {
		return // the game has already dropped the player
	}
	m.saveBy(pid)
}
