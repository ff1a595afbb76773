package game

import (
	"strings"

	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// draft is the state of two captains choosing their teams in turn. Players who join meanwhile can be chosen as well.
type draft struct {
	captains [2]*seat
	teams    [2]uint8
	chosen   w3gs.PIDs // chosen players and the captains
	turn     int       // index of the captain whose turn it is
}

// drafting parses two captains, or "off".
func drafting(a *args) act {
	if a.Is("off") {
		return draftOff
	}
	parts := [2]string{a.Player(1), a.Player(0)}
	return func(m *Machine, c *call) error {
		d := &draft{}
		for i, part := range parts {
			p, err := m.find(part)
			if err != nil {
				return err
			}
			if d.captains[i] = m.seats[p.PID]; d.captains[i] == nil || p.Observer {
				return texts.Refuse(texts.NotHuman, "%s does not play and cannot be a captain", p.Name)
			}
			d.teams[i], d.chosen = p.Team, d.chosen|w3gs.Only(p.PID)
		}
		if d.captains[0] == d.captains[1] {
			return texts.Refuse(texts.Malformed, "two captains are needed")
		}
		return m.openDraft(c, d)
	}
}

// openDraft starts a draft. If the map sets the teams, captains choose for the teams that they are in.
func (m *Machine) openDraft(c *call, d *draft) error {
	if m.cfg.Lobby.Layout == w3gs.LayoutMelee {
		d.teams = [2]uint8{0, 1}
		if err := m.try(lobby.SetTeams{Rule: lobby.TwoTeams}); err != nil {
			return err
		}
	} else if d.teams[0] == d.teams[1] {
		return cannot("both captains are in team %d: move one of them first", d.teams[0]+1)
	}
	for i, captain := range d.captains {
		if err := m.moveTo(captain.PID, d.teams[i], d.chosen); err != nil {
			return err
		}
	}
	if m.undrafted(d) == nil {
		return texts.Refuse(texts.NoSuch, "there is no player to pick")
	}
	m.settings.draft = d
	m.set(c, "draft", func() { m.settings.draft = nil })
	m.say(0, "%s and %s choose their teams.", d.captains[0].Name, d.captains[1].Name)
	return m.announceTurn()
}

func draftOff(m *Machine, _ *call) error {
	if m.settings.draft == nil {
		return texts.Refuse(texts.NoSuch, "no draft is under way")
	}
	return m.endDraft(texts.Of("The draft is off."))
}

func (m *Machine) endDraft(why texts.Text) error {
	m.settings.draft = nil
	m.unset("draft")
	return m.sayText(0, why)
}

// drafts reports whether the player is a captain of the current draft.
func (m *Machine) drafts(pid uint8) bool {
	d := m.settings.draft
	return d != nil && m.turns == nil && pid != 0 && (d.captains[0].PID == pid || d.captains[1].PID == pid)
}

// undrafted returns the players who can still be chosen.
func (m *Machine) undrafted(d *draft) (left []lobby.Player) {
	for _, p := range m.lobby.Players() {
		if !p.Observer && !d.chosen.Has(p.PID) {
			left = append(left, p)
		}
	}
	return left
}

// choose moves a player to the team of the captain whose turn it is.
func (m *Machine) choose(c *call, part string) error {
	d := m.settings.draft
	if captain := d.captains[d.turn]; captain.PID != c.PID {
		return cannot("it is the turn of %s", captain.Name)
	}
	p, err := m.find(strings.Trim(part, `"`))
	switch {
	case err != nil:
		return err
	case p.Fake || p.Observer:
		return texts.Refuse(texts.NotHuman, "%s does not play", p.Name)
	case d.chosen.Has(p.PID):
		return texts.Refuse(texts.Taken, "%s already has a team", p.Name)
	}
	c.Target = p.Name
	if err := m.moveTo(p.PID, d.teams[d.turn], d.chosen); err != nil {
		return err
	}
	d.chosen |= w3gs.Only(p.PID)
	m.say(0, "%s chooses %s.", c.Name, p.Name)
	d.turn = 1 - d.turn
	return m.announceTurn()
}

// announceTurn announces whose turn it is, unless the draft is complete.
func (m *Machine) announceTurn() error {
	m.settleDraft()
	d := m.settings.draft
	if d == nil {
		return nil
	}
	var names []string
	for _, p := range m.undrafted(d) {
		names = append(names, p.Name)
	}
	return m.say(0, "%s chooses with %spick <player>: %s.", d.captains[d.turn].Name, string(m.cfg.Trigger), strings.Join(names, ", "))
}

// settleDraft ends the draft when at most one player is left, who goes to the captain whose turn it is. It is called
// after a choice and after players left or became observers.
func (m *Machine) settleDraft() {
	d := m.settings.draft
	if d == nil || m.turns != nil || m.Over() {
		return
	}
	left := m.undrafted(d)
	if len(left) == 1 && m.moveTo(left[0].PID, d.teams[d.turn], d.chosen) == nil {
		m.say(0, "%s gets %s.", d.captains[d.turn].Name, left[0].Name)
		left = nil
	}
	if left == nil {
		m.endDraft(texts.Of("The teams are complete."))
	}
}

// moveTo moves a player to a team: into an open slot, or by a swap with a player who was not chosen.
func (m *Machine) moveTo(pid, team uint8, chosen w3gs.PIDs) error {
	p, _ := m.lobby.Player(pid)
	if p.Team == team {
		return nil
	}
	err := m.try(lobby.Set{Slot: p.Slot, What: w3gs.ChatTeam, Value: team})
	for _, other := range m.lobby.Players() {
		if err != nil && other.Team == team && !chosen.Has(other.PID) {
			return m.try(lobby.Swap{A: p.Slot, B: other.Slot})
		}
	}
	return err
}

// forgetDrafted ends the draft if one of its captains has left, and removes any other player who left from the chosen
// ones.
func (m *Machine) forgetDrafted(pid uint8) {
	d := m.settings.draft
	switch {
	case d == nil || m.turns != nil:
	case m.drafts(pid):
		m.settings.draft = nil
		m.unset("draft")
		m.later(say{0, texts.Of("The draft is off: a captain has left.")})
	default:
		d.chosen &^= w3gs.Only(pid)
	}
}
