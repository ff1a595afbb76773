package game

import "time"

// apm answers with the caller's actions per minute since the game began, without pauses. It shows only the caller's own,
// because those of others would reveal what they are doing.
func apm(m *Machine, c *call) error {
	s := m.seats[c.PID]
	played := m.turns.GameTime()
	switch {
	case s == nil:
		return cannot("only players in the game can do that")
	case played < 10*time.Second:
		return cannot("the game has just begun: try again later")
	}
	return m.answer(c, "You make %.0f actions in a minute.", float64(s.actions)/played.Minutes())
}
