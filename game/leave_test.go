package game

import "testing"

// Who says so leaves by themselves; who is cut off or kicked does not.
func TestLeftByOwnWord(t *testing.T) {
	s := newScene()
	own := map[string]bool{}
	play := func(lines ...string) {
		t.Helper()
		for _, line := range lines {
			if err := s.event(line); err != nil {
				t.Fatal(err)
			}
			for _, f := range s.out.Facts {
				if left, ok := f.Fact.(*LeftGame); ok {
					own[left.Name] = left.Own
				}
			}
		}
	}
	play("join Ann", "join Bob", "join Cid", "join Dan", "console: start now", "load", "wait 100ms", "ack",
		"leave Ann", "lose Bob", "console: kick cid", "wait 1s")
	if len(own) != 3 || !own["Ann"] || own["Bob"] || own["Cid"] {
		t.Errorf("by their own word: %v", own)
	}
}
