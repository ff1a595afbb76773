package game

import (
	"testing"
)

// TestLeftByOwnWord: a player who says so leaves by themselves. One who is cut off or kicked does not, nor one whose
// game has crashed behind a proxy, which sends a leave of its own.
func TestLeftByOwnWord(t *testing.T) {
	s := newScene()
	own := map[string]bool{}
	s.leaves(t, func(left *LeftGame) { own[left.Name] = left.Own }, "join Ann", "join Bob", "join Cid", "join Dan", "join Eve", "proxy Eve", "console: start now", "load", "wait 100ms", "ack",
		"leave Ann", "lose Bob", "console: kick cid", "crash Eve", "wait 1s")
	if len(own) != 4 || !own["Ann"] || own["Bob"] || own["Cid"] || own["Eve"] {
		t.Errorf("by their own word: %v", own)
	}
}

// leaves plays lines, and gives every player who has left by then.
func (s *scene) leaves(t *testing.T, told func(*LeftGame), lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := s.event(line); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.out.Facts {
			if left, ok := f.Fact.(*LeftGame); ok {
				told(left)
			}
		}
	}
}
