package game

import (
	"slices"

	"w3host/lobby"
	"w3host/texts"
)

// Actions of the game that stop and resume its time, without fields.
const (
	actionPause  = 0x01
	actionResume = 0x02
)

// actor is a fake player who can act in the game. The seat of the viewers never acts: their clients would ignore the
// action, which all others carry out.
func (m *Machine) actor() (pid uint8, err error) {
	fakes := m.lobby.Fakes()
	i := slices.IndexFunc(fakes, func(p lobby.Player) bool { return !p.Observer && p.PID != m.started.Watchers })
	switch {
	case i < 0:
		return 0, texts.Refuse(texts.NoSuch, "this needs a fake player: add one in the lobby with %cfp, or use the game's menu", m.cfg.Trigger)
	case m.turns.Loading():
		return 0, cannot("players are still loading")
	}
	return fakes[i].PID, nil
}

// fakeAction is the act of a command that a fake player carries out in the game:
// clients accept actions only from players, and observers are not enough.
func fakeAction(action byte) act {
	return spoken(func(m *Machine, c *call) error {
		fake, err := m.actor()
		if err != nil {
			return err
		}
		m.act(fake, []byte{action})
		return m.sayText(0, texts.If(action == actionPause, "%s has paused the game.", "%s has resumed the game.", c.Name))
	})
}
