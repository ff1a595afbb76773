package game

import (
	"time"

	"w3host/game/command"
	"w3host/texts"
)

// Cooldown bounds the commands of players; owners and admins are exempt. A player
// may give Burst commands at once, and one more each Every; a command that asks the
// database costs as much as Query takes. Burst 0 sets no bound.
type Cooldown struct {
	Burst        int
	Every, Query time.Duration
}

// pays charges a command to its caller's allowance. If that is used up, the caller is
// told once. Lines that are not commands of a game, with spec nil, count but are not
// answered.
func (m *Machine) pays(by *command.Caller, spec *command.Spec[*Machine]) bool {
	s, limit := m.seats[by.PID], &m.cfg.Cooldown
	if s == nil || limit.Burst <= 0 || by.Level >= command.Owner {
		return true
	}
	cost, most := limit.Every, time.Duration(limit.Burst)*limit.Every
	switch {
	case spec != nil && spec.Urgent:
		return true
	case spec != nil && spec.Ask != nil:
		cost = min(limit.Query, most)
	}
	if wait := s.commands.Take(m.now, cost, most); wait > 0 {
		if spec != nil && !s.waitSaid {
			s.waitSaid = true
			m.reply(by, texts.Sentence(texts.Of("too many commands: wait %v", (wait+time.Second-1).Truncate(time.Second))), false)
		}
		return false
	}
	s.waitSaid = false
	return true
}
