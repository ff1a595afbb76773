package survive

import (
	"testing"

	"w3host/hold"
)

// An observer that processes have ended in gets nothing more of the game: at the second death at one entry, or at the third in the
// game. The game itself is given up only for deaths in its own steps.
func TestBlameOfObservers(t *testing.T) {
	type death struct {
		step, shown uint64 // the entry that was stepped, or shown to an observer; 0: none
		observer    int
	}
	for name, c := range map[string]struct {
		deaths []death
		muted  []int
		lost   bool
	}{
		"one while it was shown":             {[]death{{0, 7, 1}}, nil, false},
		"two at one entry":                   {[]death{{0, 7, 1}, {0, 7, 1}}, []int{1}, false},
		"in the step, and at the same entry": {[]death{{7, 0, 0}, {0, 7, 63}}, []int{63}, false},
		"two at different entries":           {[]death{{0, 7, 1}, {0, 8, 1}}, nil, false},
		"three at different entries":         {[]death{{0, 7, 1}, {0, 8, 1}, {0, 9, 2}}, []int{2}, false},
		"two observers":                      {[]death{{0, 7, 1}, {0, 7, 1}, {0, 7, 2}}, []int{1, 2}, false},
		"during other steps":                 {[]death{{7, 0, 0}, {8, 7, 1}, {0, 7, 1}}, []int{1}, false},
		"always during other steps":          {[]death{{5, 7, 1}, {6, 7, 1}, {8, 7, 1}}, []int{1}, false},
		"three in steps":                     {[]death{{7, 0, 0}, {8, 0, 0}, {9, 0, 0}}, nil, true},
		"outside of the game":                {[]death{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, nil, false},
	} {
		mem := hold.Of(make([]byte, 2*hold.HeadLen))
		l := BeginIn(mem).Left()
		var err error
		for _, d := range c.deaths {
			mem.SetWord(wordStep, d.step)
			if d.shown > 0 {
				l.Showing(d.shown, d.observer)
			}
			err = l.RecordCrash()
		}
		if lost := err != nil; lost != c.lost {
			t.Errorf("%s: %v", name, err)
		}
		bits := uint64(0)
		for _, o := range c.muted {
			bits |= 1 << o
			if !l.Muted(o) {
				t.Errorf("%s: observer %d is not muted", name, o)
			}
		}
		if got := mem.Word(wordMuted); got != bits {
			t.Errorf("%s: muted are %b, not %b", name, got, bits)
		}
	}
}
