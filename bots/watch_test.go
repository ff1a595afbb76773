package bots

import (
	"testing"

	"w3host/protocol/w3gs"
)

// TestIgnoresOwnActions: as real clients do, a bot that watches ignores the recorded actions of its own seat, which it has
// not sent. Its state is that of a game without them.
func TestIgnoresOwnActions(t *testing.T) {
	others := w3gs.AppendAction(nil, 2, []byte{1})
	others = w3gs.AppendAction(others, 3, []byte{2})
	own := w3gs.AppendAction(nil, 1, []byte{3})
	states := map[string]uint32{}
	for name, actions := range map[string][]byte{
		"without": others, "before": append(append([]byte(nil), own...), others...), "behind": append(append([]byte(nil), others...), own...), "other": own,
	} {
		r := newRig(t, Options{Watch: true})
		r.pid, r.phase = 1, playing
		r.known.add(2)
		r.known.add(3)
		r.takeActions(r.time, w3gs.OpIncomingAction, len(actions), actions)
		if states[name] = r.partSum; r.report.Faults > 0 {
			t.Errorf("%s: %d faults", name, r.report.Faults)
		}
	}
	if states["without"] == 0 || states["before"] != states["without"] || states["behind"] != states["without"] || states["other"] != 0 {
		t.Errorf("states %v", states)
	}
}
