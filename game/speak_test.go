package game

import (
	"testing"

	"w3host/game/command"
)

// Nobody without a seat makes the host speak, except those who command the game as its owner does; and they, too, not
// without limit.
func TestMaySpeak(t *testing.T) {
	for _, tc := range []struct {
		level command.Level
		line  string
		said  int // of 15 at once
	}{
		{command.Anyone, "flip", 0},
		{command.Anyone, "roll 20", 0},
		{command.Anyone, "pick a, b", 0},
		{command.Owner, "flip", spokenBurst},
		{command.Owner, "say hello", spokenBurst},
		{command.Admin, "pin hello", spokenBurst},
		{command.Admin, "announce 60 hello", spokenBurst},
		{command.Admin, "rename hello", spokenBurst},
		{command.Root, "say hello", 15},
	} {
		s := newScene()
		if err := s.event("join Ann"); err != nil {
			t.Fatal(err)
		}
		by := &command.Caller{Name: "Rook", Level: tc.level, Via: command.ViaWeb}
		order := func(n int) (said int) {
			for range n {
				if s.speak(t, by, tc.line) == "" {
					said++
				}
			}
			return said
		}
		if said := order(15); said != tc.said {
			t.Errorf("%v: %d of 15 lines of %s are said at once, want %d", tc.level, said, tc.line, tc.said)
		}
		s.now += spokenWithin
		if said := order(1); said != min(tc.said, 1) {
			t.Errorf("%v: after the time, %d lines of %s are said", tc.level, said, tc.line)
		}
	}
}

// speak orders a line and returns why it is refused.
func (s *scene) speak(t *testing.T, by *command.Caller, line string) (refused string) {
	t.Helper()
	var out Out
	s.m.Step(s.now, &Input{Kind: Command, Caller: by, Line: line}, &out)
	for i := range out.Ops {
		if op := &out.Ops[i]; op.Kind == Answer && op.Refused {
			refused += op.Text
		}
	}
	return refused
}
