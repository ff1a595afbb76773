package host

import (
	"testing"

	"w3host/storage"
)

// TestSurrenderIsRecorded: the players' word is a result in the game log, of a
// game that has finished.
func TestSurrenderIsRecorded(t *testing.T) { inBubble(t, testSurrenderIsRecorded) }

func testSurrenderIsRecorded(t *testing.T) {
	r := newRig(t, nil)
	g, players := r.play(2)
	typed(g, players[0], "!ff")
	players[1].UntilText("The game is over: a team has surrendered.")
	r.shutDown()
	outcomes := map[uint8]string{}
	for _, res := range recordsOf[storage.PlayerResult](r) {
		if res.Source != storage.SourceVote || res.Name != storage.ResultOutcome {
			t.Errorf("recorded %+v", res)
		}
		outcomes[res.PID] = res.Value
	}
	if a, b := outcomes[players[0].PID], outcomes[players[1].PID]; a != storage.OutcomeLost || b != storage.OutcomeWon {
		t.Errorf("recorded %v", outcomes)
	}
	for _, end := range recordsOf[storage.GameEnded](r) {
		if end.Turns > 0 && end.How != storage.EndFinished {
			t.Errorf("the game is recorded as %q", end.How)
		}
	}
}
