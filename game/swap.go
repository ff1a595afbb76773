package game

import (
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// askToSwap asks a player to swap places with the caller. If that player asks back, the swap is agreed.
func askToSwap(m *Machine, c *call, p lobby.Player) error {
	open := m.poll(c.Command, c.PID)
	switch err := m.voter(c); {
	case err != nil:
		return err
	case m.seats[p.PID] == nil:
		return texts.Refuse(texts.NotHuman, "%s is a fake player", p.Name)
	case p.PID == c.PID:
		return texts.Refuse(texts.Malformed, "name another player to swap with")
	case open != nil && open.caller.PID == p.PID:
		return m.vote(open, c.PID, true)
	case m.settings.draft != nil:
		return cannot("the captains choose the teams now")
	case open != nil || m.poll(c.Command, p.PID) != nil:
		return cannot("a vote is already open: answer it with %cyes or %[1]cno", m.cfg.Trigger)
	}
	return m.openPoll(&poll{
		command: c.Command, caller: *c.Caller, target: p.Name, paced: true, what: texts.Of("swap places with %s", p.Name),
		needs: w3gs.Only(c.PID) | w3gs.Only(p.PID),
		groups: func() []w3gs.PIDs { // both must agree
			if m.turns != nil {
				return nil
			}
			return []w3gs.PIDs{w3gs.Only(c.PID), w3gs.Only(p.PID)}
		},
		agreed: func() { m.later(swapAgreed{c.PID, p.PID}) },
	})
}
