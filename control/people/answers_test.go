package people

import (
	"testing"

	"w3host/game"
)

// Each command that asks the database has one answer here, and there is no other.
func TestAnswers(t *testing.T) {
	asks := 0
	for _, s := range game.Commands() {
		if s.Ask == nil {
			continue
		}
		if asks++; answers[s.Name] == nil {
			t.Errorf("nothing answers %s", s.Name)
		}
	}
	if asks != len(answers) {
		t.Errorf("%d commands ask, %d answers", asks, len(answers))
	}
}
