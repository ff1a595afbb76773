package game

import (
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// settings holds the settings by commands for the lobby as a whole.
type settings struct {
	autosave  bool          // when a connection is lost
	savedAt   time.Duration // by the host; 0: never
	firstName string        // of the lobby, before it was renamed
	announced announcement
	pinned    string // line for joiners
	lockedBy  string // who keeps admins from commanding the lobby; empty: nobody
	draft     *draft // nil: none is under way
	modes     modeVote
	list      []setting // by players who may leave
}

// setting is one by a player for the lobby as a whole. It ends when the player has
// left and does not own the lobby, so that later players find it as it was.
type setting struct {
	what string
	by   *seat
	end  func()
}

// set notes what the caller of a command has set, and how it ends. A setting of the
// operator, who has no seat, stays.
func (m *Machine) set(c *call, what string, end func()) {
	m.unset(what)
	if s := m.seats[c.PID]; s != nil {
		m.settings.list = append(m.settings.list, setting{what, s, end})
	}
}

// unset forgets a setting that has been taken back.
func (m *Machine) unset(what string) {
	m.settings.list = slices.DeleteFunc(m.settings.list, func(s setting) bool { return s.what == what })
}

// endSettings ends those of players who have left.
func (m *Machine) endSettings() {
	for _, s := range slices.Clone(m.settings.list) {
		if m.seats[s.by.PID] != s.by && !strings.EqualFold(s.by.Name, m.lobby.Owner()) && !m.Over() {
			m.unset(s.what)
			s.end()
		}
	}
}

// lock keeps admins who do not own the lobby from commanding it.
func lock(on bool) act {
	return func(m *Machine, c *call) error {
		if m.settings.lockedBy = c.Name; !on {
			m.settings.lockedBy = ""
			m.unset("lock")
			return m.say(0, "The lobby is unlocked.")
		}
		m.set(c, "lock", func() {
			m.settings.lockedBy = ""
			m.say(0, "The lobby is unlocked, because %s has left.", c.Name)
		})
		return m.say(0, "The lobby is locked: only its owner commands it.")
	}
}

// lockJoins keeps players without a held place out of the lobby, or lets them in again.
func lockJoins(off bool) func(*args) act {
	return func(a *args) act {
		a.OneOf("joins") // the only thing that can be locked besides the commands
		return turn("joins", off, func(off bool) lobby.Operation { return lobby.LockJoins{Off: off} })
	}
}

// rank gives the caller of a command the level here of somebody with a level of the host.
func (m *Machine) rank(by *command.Caller, level command.Level, owns bool) {
	switch {
	case owns:
		level = max(level, command.Owner)
	case m.settings.lockedBy != "" && level == command.Admin:
		level, by.LockedBy = command.Anyone, m.settings.lockedBy
	}
	by.Level = level
}

// greet writes the settings of others to a player who joins.
func (m *Machine) greet(s *seat) {
	if m.settings.pinned != "" {
		m.later(say{w3gs.Only(s.PID), texts.Plain(m.settings.pinned)})
	}
	if m.settings.lockedBy != "" && s.level == command.Admin && !m.lobby.Owns(s.PID) {
		m.later(say{w3gs.Only(s.PID), texts.Of("%s has locked this lobby: only its owner and root command it.", m.settings.lockedBy)})
	}
}

// muteAll stops lines to everybody, or allows them again.
func muteAll(off bool) act {
	return turn("muteall", off, func(off bool) lobby.Operation { return lobby.MuteAll{Off: off} })
}

// turn is the act that turns a setting of the lobby on or off.
func turn(what string, off bool, set func(off bool) lobby.Operation) act {
	return func(m *Machine, c *call) error {
		if err := m.try(set(off)); err != nil || off {
			m.unset(what)
			return err
		}
		m.set(c, what, func() { m.try(set(true)) })
		return nil
	}
}
