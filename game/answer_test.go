package game

import (
	"encoding/json"
	"testing"

	"w3host/internal/tier"
)

// TestAnswersAreSteps runs random games twice. Where keepalive takes the acknowledgements that it can, the same comes of all that
// follows as where each is stepped in full.
func TestAnswersAreSteps(t *testing.T) {
	answers, short := 0, 0
	run := func(seed uint64, cfg Config, entries []JournalItem) {
		out, fullOut := new(Out), new(Out)
		m, full := New(cfg, out), New(cfg, fullOut)
		for i := range entries {
			e := &entries[i]
			out.Reset()
			fullOut.Reset()
			in := &e.Input
			if in.Kind == Keepalive {
				answers++
			}
			if in.Kind == Keepalive && m.keepalive(e.At, in) {
				short++
			} else {
				m.Step(e.At, in, out)
			}
			full.calm = false
			full.Step(e.At, in, fullOut)
			at, due := m.Next()
			fullAt, fullDue := full.Next()
			if a, b := facts(out), facts(fullOut); a != b || out.Sum(0) != fullOut.Sum(0) || at != fullAt || due != fullDue {
				t.Fatalf("seed %d, %v of link %d at %v: %s, orders %08x, next at %v; in full: %s, orders %08x, next at %v",
					seed, in.Kind, in.Link, e.At, a, out.Sum(0), at, b, fullOut.Sum(0), fullAt)
			}
		}
	}
	for seed := range uint64(tier.Pick(40, 300)) {
		g := simulate(seed)
		if g.err != nil {
			t.Fatal(g.err)
		}
		run(seed, g.cfg, g.entries)
	}
	t.Logf("%d of %d acknowledgements go the short way", short, answers)
	if short < answers/4 {
		t.Error("these are too few")
	}
}

// TestAnswersBesideSettings: what players have set in the lobby does not keep answers in the game from the short way.
func TestAnswersBesideSettings(t *testing.T) {
	for _, line := range []string{"Ann: !pin Hello", "Ann: !announce 60 Hello", "Ann: !lock"} {
		s := newScene()
		playLines(t, s, "join Ann", "join Bob", line, "Ann: !start now", "wait 1s", "load", "wait 1s", "ack", "play 5s")
		if !s.m.calm {
			t.Errorf("%q costs the short way", line)
		}
	}
}

func facts(out *Out) string {
	b, err := json.Marshal(out.Facts)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
