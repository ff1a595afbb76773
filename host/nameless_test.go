package host

import (
	"testing"

	"w3host/game/command"
	"w3host/protocol/w3gs"
)

// annRules makes Ann an admin.
type annRules struct{ lists }

func (annRules) Level(who Joiner) command.Level {
	if who.Name == "Ann" {
		return command.Admin
	}
	return command.Anyone
}

// TestNamelessHasNoRole: in 3.0 a client may come under the name of a player who is in, or under none. It does not get the role
// that goes with the name.
func TestNamelessHasNoRole(t *testing.T) { inBubble(t, testNamelessHasNoRole) }

func testNamelessHasNoRole(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Version, o.Admins = w3gs.VersionThree, annRules{} })
	g := r.lobby(4)
	for _, seat := range []struct {
		name  string
		level command.Level
	}{{"Ann", command.Admin}, {"Ann", command.Anyone}, {"", command.Anyone}} {
		c := r.join(g, seat.name, player)
		if level := ask(t, g, func(g *Game) command.Level { return g.seats[c.PID].level() }); level != seat.level {
			t.Errorf("pid %d, called %q: %v, want %v", c.PID, seat.name, level, seat.level)
		}
	}
}
