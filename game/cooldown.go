package game

import (
	"time"

	"w3host/game/command"
	"w3host/internal/allowance"
	"w3host/texts"
)

// Cooldown is the rate limit for players' commands; owners and admins are exempt. A player may give Burst commands at
// once and then one per Every; a command that queries the database costs Query. Burst 0 means no limit.
type Cooldown struct {
	Burst        int
	Every, Query time.Duration
}

// pays charges a command to the caller's allowance and reports whether it may run. If the allowance is used up, the
// caller is told once. Lines that are not commands of a game, for which spec is nil, are charged but not answered.
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

// Callers may make the host say spokenBurst lines to all at once, and then as many per spokenWithin.
const (
	spokenBurst  = 10
	spokenWithin = 20 * time.Second
)

// maySpeak applies the rate limit for lines that a caller makes the host say to all. A caller without a seat needs at
// least the level of the owner; root has no limit.
func (m *Machine) maySpeak(by *command.Caller) error {
	switch {
	case m.seats[by.PID] == nil && by.Level < command.Owner:
		return cannot("only players in the game can do that")
	case by.Level >= command.Root:
		return nil
	}
	if m.spoken == nil {
		m.spoken = allowance.NewLimiter[speaker](spokenBurst, spokenWithin)
	}
	who, now := speaker{by.Realm, by.Name}, time.Unix(0, 0).Add(m.now)
	if !m.spoken.Allow(now, who) {
		return texts.Refuse(texts.NotYet, "too many commands: wait %v", (m.spoken.Delay(now, who) + time.Second - 1).Truncate(time.Second))
	}
	return nil
}

// speaker identifies a caller who makes the host say something, on any channel.
type speaker struct{ realm, name string }
