package game

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"w3host/game/command"
	"w3host/internal/tier"
)

// mostCost is how long a command may hold up the loop, and so the turns of other games.
const mostCost = time.Millisecond

// TestCommandCosts carries out every command of a game, by its examples and without arguments, in a lobby and a
// game of twelve. The least of some runs counts, of more on a busy machine: it is the command's own time, whatever else
// the machine does.
func TestCommandCosts(t *testing.T) {
	tier.All(t, "measures time")
	const runs = 15
	type cost struct {
		line  string
		phase command.Phase
		took  time.Duration
	}
	var costs []cost
	for _, c := range commands {
		for _, line := range append([]string{c.Name}, c.Examples...) {
			for _, phase := range []command.Phase{command.InLobby, command.InGame} {
				if !c.Phase.Has(phase) {
					continue
				}
				least := time.Hour
				for i := 0; i < runs || least > mostCost && i < 20*runs; i++ {
					s := crowded(t, phase)
					in := Input{Kind: Command, Line: line, Caller: &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole}}
					s.out.Reset()
					began := time.Now()
					s.m.Step(s.now, &in, &s.out)
					least = min(least, time.Since(began))
				}
				costs = append(costs, cost{line, phase, least})
			}
		}
	}
	slices.SortFunc(costs, func(a, b cost) int { return cmp.Compare(b.took, a.took) })
	for i, c := range costs {
		if i < 10 || c.took > mostCost {
			t.Logf("%-40s %8v", fmt.Sprintf("%s (%v)", c.line, c.phase), c.took.Round(time.Microsecond/10))
		}
		if c.took > mostCost {
			t.Errorf("%s takes %v", c.line, c.took)
		}
	}
	t.Logf("%d uses of %d commands; median %v", len(costs), len(commands), costs[len(costs)/2].took)
}

var eleven = []string{"bob", "ann", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10"}

// crowded is a lobby of eleven players and a fake one, all with ratings, or their game.
func crowded(t *testing.T, phase command.Phase) *scene {
	t.Helper()
	s := newScene()
	cfg := s.m.cfg
	cfg.Lobby.Slots = append(slices.Clone(cfg.Lobby.Slots), cfg.Lobby.Slots...)
	for i := range cfg.Lobby.Slots {
		cfg.Lobby.Slots[i].Colour = uint8(i)
	}
	cfg.Lobby.PlayerSlots = 12
	s.open(cfg)
	lines := []string{"console: fakeplayer"}
	for _, name := range eleven {
		lines = append(lines, "join "+name)
	}
	lines = append(lines, "console: layout teams")
	if phase == command.InGame {
		lines = append(lines, "console: start now", "load", "wait 100ms", "ack")
	}
	for _, line := range lines {
		if err := s.event(line); err != nil {
			t.Fatal(err)
		}
	}
	if phase == command.InLobby {
		for i, name := range eleven {
			if err := s.event(fmt.Sprintf("rated %s %d.5 4", name, 15+2*i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}
