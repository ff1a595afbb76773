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

// settings holds what commands have set for the lobby as a whole.
type settings struct {
	autosave  bool          // save the game when a connection is lost
	savedAt   time.Duration // when the host last saved; 0 means never
	firstName string        // name of the lobby before it was renamed
	announced announcement
	pinned    string // line shown to joiners
	lockedBy  string // name of the caller who locked the lobby against admins, or empty
	draft     *draft // nil unless a draft is in progress
	modes     modeVote
	list      []setting // settings made by players
}

// setting is one that a player has made for the lobby as a whole. It is reverted when the player has left and does not
// own the lobby, so that later players find the lobby as it was.
type setting struct {
	what string
	by   *seat
	end  func()
}

// set records a setting of the caller and how to revert it. Settings of an operator, who has no seat, are permanent.
func (m *Machine) set(c *call, what string, end func()) {
	m.unset(what)
	if s := m.seats[c.PID]; s != nil {
		m.settings.list = append(m.settings.list, setting{what, s, end})
	}
}

// unset removes a setting from the list.
func (m *Machine) unset(what string) {
	m.settings.list = slices.DeleteFunc(m.settings.list, func(s setting) bool { return s.what == what })
}

// endSettings reverts the settings of players who have left.
func (m *Machine) endSettings() {
	for _, s := range slices.Clone(m.settings.list) {
		if m.isOrphaned(s) && !m.Over() {
			m.unset(s.what)
			s.end()
		}
	}
}

// isOrphaned reports whether the player who made a setting has left and does not own the lobby.
func (m *Machine) isOrphaned(s setting) bool {
	return m.seats[s.by.PID] != s.by && !strings.EqualFold(s.by.Name, m.lobby.Owner())
}

// lock prevents admins who do not own the lobby from commanding it.
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

// lockJoins keeps players without a reserved place out of the lobby, or admits them again.
func lockJoins(off bool) func(*args) act {
	return func(a *args) act {
		a.OneOf("joins") // the only argument of lock
		return turn("joins", off, func(off bool) lobby.Operation { return lobby.LockJoins{Off: off} })
	}
}

// rank sets the caller's level in this game from the level on the host, ownership and the lock.
func (m *Machine) rank(by *command.Caller, level command.Level, owns bool) {
	switch {
	case owns:
		level = max(level, command.Owner)
	case m.settings.lockedBy != "" && level == command.Admin:
		level, by.LockedBy = command.Anyone, m.settings.lockedBy
	}
	by.Level = level
}

// greet tells a joining player about the settings of others.
func (m *Machine) greet(s *seat) {
	if m.settings.pinned != "" {
		m.later(say{w3gs.Only(s.PID), texts.Plain(m.settings.pinned)})
	}
	if m.settings.lockedBy != "" && s.level == command.Admin && !m.lobby.Owns(s.PID) {
		m.later(say{w3gs.Only(s.PID), texts.Of("%s has locked this lobby: only its owner and root command it.", m.settings.lockedBy)})
	}
}

// muteAll turns public chat off or on again.
func muteAll(off bool) act {
	return turn("muteall", off, func(off bool) lobby.Operation { return lobby.MuteAll{Off: off} })
}

// turn returns the act that turns a setting of the lobby on or off.
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
