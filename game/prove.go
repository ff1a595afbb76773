package game

import (
	"w3host/game/command"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// askProof says how to prove to be the player.
func (m *Machine) askProof(r *returner) {
	name := r.s.Name
	m.writeToReturner(r, texts.Of("%s's place is kept for the address it was played from. Otherwise prove your name: on a realm by whispering the code you are shown, as an admin by %clogin. Or the game's owner types %[2]cletin %[1]s.", name, m.cfg.Trigger))
	if r.s.missing == nil || r.s.missing.announced {
		return
	}
	r.s.missing.announced = true
	m.say(m.others(r.s), "Somebody at another address wants to come back as %s. %cletin %[1]s lets them in.", name, m.cfg.Trigger)
}

// proven reports whether a returner has shown to be the player.
func (m *Machine) proven(r *returner) bool {
	by := &m.cfg.Return.Proof
	confirmed := r.realm != "" && r.vouched
	switch s := r.s; {
	case s.missing != nil && s.missing.letIn:
		return true
	case s.Realm != "" && !sameName(s.Realm, r.realm): // a name that a realm has confirmed is nobody else's
		return by.Address && r.near
	case confirmed && sameName(s.realm, r.realm):
		return by.Realm
	case r.logged && r.realm == "" && s.realm == "":
		return by.Login && r.level >= command.Admin
	}
	return by.Address && r.near
}

// prove has a returner load, if it has the map and shows to be the player.
func (m *Machine) prove(r *returner) {
	if r.stage != proving || !m.proven(r) {
		return
	}
	s := r.s
	if s.missing == nil && m.silent(s) && m.mayReturn(s) {
		why := "the player has come back with a new client" // the wait for a proxy ends with the old link
		m.fact(&LinkLost{s.Player, why, m.cfg.Return.Sign})
		m.dismiss(s, why)
		m.miss(s)
	}
	switch {
	case m.Over():
		return
	case s.missing == nil || s.missing.by != nil || !m.turns.Live().Has(s.PID):
		m.refuseTwin(r)
		return
	}
	s.missing.by = r
	r.stage, r.within = loads, m.cfg.Return.CatchUp
	r.until = m.now + r.within
	m.writeToReturner(r, texts.Of("You are shown %s of the game at full speed first. What you do counts after that.", texts.Clock(m.turns.GameTime())))
	m.toReturner(r, &w3gs.CountdownStart{})
	m.toReturner(r, &w3gs.CountdownEnd{})
	m.say(m.others(s), "%s has joined again and loads.", s.Name)
}

// silent reports whether the old client of a player who seems to be in the game is dead: the
// link is lost, or does not answer turns.
func (m *Machine) silent(s *seat) bool {
	_, behind := m.turns.Progress(s.PID)
	return s.link == 0 || behind > 0 && m.now-s.heard >= quiet
}
