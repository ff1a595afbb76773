package game

import (
	"slices"
	"time"

	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Return is how a player whose client has ended comes back into the running game: with a new
// client, which joins like any other, is shown the game from its start as fast as it can run
// it, and then carries the player's seat again.
type Return struct {
	On         bool
	Sign       time.Duration // how long a place is kept until somebody joins for it
	StandStill bool          // the game stands still at once, and not only when the players ask for it
	Wait       time.Duration // how long it stands still at the most
	CatchUp    time.Duration // how long a new client may take
	Times      int           // how often a player may come back
	Proof      Proof
}

// Proof is by what a player may come back besides a word of the owner: the address, the
// realm's word for the name, the log-in of an admin.
type Proof struct{ Address, Realm, Login bool }

// missing is a player's place without a client, which is kept.
type missing struct {
	since, until time.Duration // if nobody has joined for it by then, it is given up
	letIn        bool          // the owner has said so
	announced    bool          // the others have read that somebody wants to come back
	by           *returner     // has proven to be the player; nil: nobody
}

// returns are the returners of a game, and all that they need.
type returns struct {
	history  history
	coming   []*returner
	reported w3gs.PIDs // whose places the observers know to be kept
	gone     []goneFor
	wait     w3gs.PIDs // they want the game to stand still
	goOn     w3gs.PIDs // they do not
}

// goneFor is a player for whom it is too late.
type goneFor struct {
	Player
	why texts.Text
}

// keepsPlaces reports whether somebody can come back at all.
func (m *Machine) keepsPlaces() bool {
	return m.cfg.Return.On && !m.cfg.Lobby.Wire.Reforged && !m.returns.history.full
}

// mayReturn reports whether the place of a player whose link has ended is kept.
func (m *Machine) mayReturn(s *seat) bool {
	return m.turns != nil && m.keepsPlaces() && s.returns < m.cfg.Return.Times && m.turns.Live().Has(s.PID)
}

// miss keeps the place of a player whose client has ended.
func (m *Machine) miss(s *seat) {
	s.missing = &missing{since: m.now, until: m.now + m.cfg.Return.Sign}
	if s.proxy.kind != noProxy { // it is gone with the client
		m.out.add(Op{Kind: Forget, PID: s.PID})
		s.proxy = seatProxy{}
	}
	m.turns.Part(m.playTime(), s.PID)
	if m.Over() {
		return
	}
	m.say(m.others(s), "%s has lost the connection and may join again within %v. %cwait: the game stands still; %[3]cvotekick: for good.",
		s.Name, m.cfg.Return.Sign.Round(time.Second), m.cfg.Trigger)
	if m.cfg.Return.StandStill {
		m.turns.Hold(m.playTime(), w3gs.Only(s.PID), m.cfg.Return.Wait)
	}
}

// reportPlaces reports whose places are kept, as a fact, when that has changed.
func (m *Machine) reportPlaces() {
	if m.turns == nil || !m.cfg.Return.On || m.Over() {
		return
	}
	var now w3gs.PIDs
	for pid := range m.turns.Apart().All() {
		if s := m.seats[pid]; s != nil && s.missing != nil && s.missing.by == nil {
			now |= w3gs.Only(pid)
		}
	}
	if now != m.returns.reported {
		m.returns.reported = now
		m.fact(&Kept{m.Kept()})
	}
}

// Kept are the players whose places are kept and for whom nobody has come yet.
func (m *Machine) Kept() []Player {
	var all []Player
	for pid := range m.returns.reported.All() {
		all = append(all, m.seats[pid].Player)
	}
	return all
}

// others are the players who have a client, without one of them; 0: there are none.
func (m *Machine) others(s *seat) w3gs.PIDs { return m.present() &^ w3gs.Only(s.PID) }

// present are the players in the game, without those whose clients have ended.
func (m *Machine) present() w3gs.PIDs {
	if m.turns == nil {
		return m.lobby.Humans()
	}
	return m.lobby.Humans() &^ m.turns.Apart()
}

// noteGone notes why a player who has left the game cannot come back.
func (m *Machine) noteGone(f *LeftGame) {
	if m.cfg.Return.On {
		at := texts.Clock(m.turns.GameTime())
		m.returns.gone = append(m.returns.gone, goneFor{f.Player, texts.Of("%s has left for good at %s (%v).", f.Name, at, texts.Known(f.Why))})
	}
}

// giveUpPlaces drops the players for whom nobody has come in time.
func (m *Machine) giveUpPlaces() {
	for pid := range m.turns.Apart().All() {
		if s := m.seats[pid]; s != nil && s.missing != nil && s.missing.by == nil && m.now >= s.missing.until && !m.Over() {
			s.missing = nil
			m.putOut(s, "did not come back in time")
		}
	}
}

// standStill counts a player's wish that the game stand still for missing players, or
// that it go on. More than half of the players in the game decide.
func standStill(wait bool) act {
	return func(m *Machine, c *call) error {
		apart, voters := m.turns.Apart(), m.playing()
		held := m.turns.Laggers() & apart
		mine, theirs := &m.returns.wait, &m.returns.goOn
		if !wait {
			mine, theirs = theirs, mine
		}
		switch one := w3gs.Only(c.PID); {
		case apart == 0:
			return cannot("nobody is missing who may come back")
		case c.PID == 0: // the operator decides alone
			*mine = voters
		case !voters.Has(c.PID):
			return cannot("only those who play decide whether the game stands still")
		case wait && held == apart:
			return texts.Refuse(texts.TooLate, "the game stands still already")
		case !wait && held == 0:
			return texts.Refuse(texts.TooLate, "the game does not stand still")
		default:
			*mine, *theirs = *mine|one, *theirs&^one
		}
		yes, needed := (*mine & voters).Len(), voters.Len()/2+1
		if yes < needed && c.PID != 0 {
			return m.sayText(voters, texts.If(wait, "%s wants the game to stand still: %d of %d needed. %cwait agrees.",
				"%s wants the game to go on: %d of %d needed. %cnowait agrees.", c.Name, yes, needed, m.cfg.Trigger))
		}
		m.returns.wait, m.returns.goOn = 0, 0
		if !wait {
			m.turns.GoOn(m.playTime())
			return nil
		}
		m.turns.Hold(m.playTime(), apart, m.cfg.Return.Wait)
		return m.say(voters, "The game stands still for up to %v. %cnowait: it goes on.", m.cfg.Return.Wait.Round(time.Second), m.cfg.Trigger)
	}
}

// letIn lets a client that has joined, or joins, under the name of a missing player come back.
func letIn(m *Machine, c *call, p lobby.Player) error {
	s := m.seats[p.PID]
	if s == nil || s.missing == nil || s.missing.by != nil {
		return texts.Refuse(texts.NoSuch, "%s is not missing", p.Name)
	}
	s.missing.letIn = true
	m.answer(c, "Whoever joins as %s within %v comes back as %[1]s.", s.Name, (s.missing.until - m.now).Round(time.Second))
	for _, r := range slices.Clone(m.returns.coming) {
		if r.s == s && r.stage == proving {
			m.prove(r)
			break
		}
	}
	return nil
}
