package game

import (
	"slices"
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

// A player whose game has crashed, and who comes back, has not left, so that no rule about leaving
// applies. Who has left by the menu has, and cannot come back.
func TestCrashIsNoLeaveWhereOneMayReturn(t *testing.T) {
	s := newScene()
	var left []string
	play := func(lines ...string) {
		t.Helper()
		s.leaves(t, func(f *LeftGame) { left = append(left, f.Name) }, lines...)
	}
	play("returns", "join Ann", "join Bob", "join Cid", "join Dan", "console: start now", "load", "play 2s",
		"lose Bob", "play 1s", "return Bob", "has Bob", "loaded Bob", "answers Bob all", "play 1s")
	if len(left) > 0 || s.m.seats[s.pids["Bob"]] == nil {
		t.Fatalf("behind a crash and a return %q have left", left)
	}
	play("leave Cid", "play 1s")
	if !slices.Equal(left, []string{"Cid"}) || len(s.m.Kept()) > 0 {
		t.Fatalf("behind a leave by the menu %q have left, places are kept for %v", left, s.m.Kept())
	}
	play("return Cid", "has Cid", "play 1s")
	if r := s.m.returnerOf(s.newLink("Cid")); r != nil && r.stage != refused {
		t.Errorf("who has left by the menu comes back: stage %d", r.stage)
	}
	for _, p := range s.m.lobby.Players() {
		if p.Name == "Cid" {
			t.Error("who has left by the menu has a place again")
		}
	}
}
