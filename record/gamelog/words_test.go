package gamelog

import (
	"testing"

	"w3host/protocol/w3gs"
)

// TestSettingWords: how the game log calls the choices of a lobby.
func TestSettingWords(t *testing.T) {
	for s, want := range map[w3gs.GameSettings][3]string{
		w3gs.SpeedSlow | w3gs.VisibilityDefault:                           {"slow", "default", "none"},
		w3gs.SpeedNormal | w3gs.VisibilityHideTerrain | w3gs.ObserversOn:  {"normal", "hide terrain", "full"},
		w3gs.SpeedFast | w3gs.VisibilityExplored | w3gs.ObserversOnDefeat: {"fast", "explored", "on defeat"},
		w3gs.VisibilityAlwaysVisible | w3gs.ObserversOn | w3gs.Referees:   {"slow", "always visible", "referees"},
	} {
		if got := [3]string{speedName(s), visibilityName(s), observersName(s)}; got != want {
			t.Errorf("%#x reads %q, want %q", s, got, want)
		}
	}
}
