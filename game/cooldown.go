package game

import (
	"time"

	"w3host/game/command"
	"w3host/internal/allowance"
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

// A caller may make the host say spokenBurst lines to all at once, and as many again within spokenWithin.
const (
	spokenBurst  = 10
	spokenWithin = 20 * time.Second
)

// maySpeak reports whether a caller may make the host say one more line to all, and counts it. A caller without a seat in the
// game must command it as its owner does, at least; only root has no limit.
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

// speaker is a caller who makes the host say something, by whichever way.
type speaker struct{ realm, name string }
