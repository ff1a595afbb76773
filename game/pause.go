package game

import (
	"slices"

	"w3host/lobby"
	"w3host/texts"
)

// Game actions that stop and resume time. They have no fields.
const (
	actionPause  = 0x01
	actionResume = 0x02
)

// actor returns a fake player who can act in the game. The viewers' seat cannot, because the viewers' clients would
// ignore its action while all others execute it.
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

// fakeAction returns the act of a command that a fake player performs in the game, since clients accept actions only
// from players. Observers cannot perform it.
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
