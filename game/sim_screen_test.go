package game

import (
	"fmt"

	"w3host/protocol/w3gs"
)

func (t *turnLedger) screenUp(f *ScreenUp) error {
	if want := t.boundary(); f.Laggers != want {
		return fmt.Errorf("lag screen for %b, want %b", f.Laggers, want)
	}
	t.standing, t.stood, t.votes = true, true, 0
	t.laggers |= f.Laggers
	return nil
}

func (t *turnLedger) lagged(f *Lagged) error {
	if n := len(f.Line.String()); n > w3gs.MaxGameChatLen {
		return fmt.Errorf("a line of %d bytes: %q", n, f.Line)
	}
	if len(f.Players) > 0 {
		t.standing, t.resumed = false, t.now
	}
	return nil
}

// checkScreen checks who is on the lag screen.
func (t *turnLedger) checkScreen(laggers w3gs.PIDs) error {
	if !t.started {
		if want := t.live &^ t.loaded; t.cfg.LoadInGame && laggers != want {
			return fmt.Errorf("%b are on the lag screen, %b load", laggers, want)
		}
		return nil
	}
	for pid := range (t.laggers & t.live).All() {
		if back := 2*t.behind(pid) < t.limit; back == laggers.Has(pid) {
			return fmt.Errorf("pid %d is %d turns behind, on the lag screen: %v", pid, t.behind(pid), laggers.Has(pid))
		}
	}
	if electors := t.live &^ laggers; laggers != 0 && 2*(t.votes&electors).Len() > electors.Len() {
		return fmt.Errorf("the vote has passed and nobody was dropped")
	}
	return nil
}
