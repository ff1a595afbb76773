package control

import (
	"slices"
	"testing"

	"w3host/game"
	"w3host/game/command"
	"w3host/host"
)

// saidFor sends on for whom the host has said something to all.
type saidFor chan string

func (said saidFor) Observe(s *game.Stamped) {
	if f, ok := s.Fact.(*game.HostSaid); ok {
		said <- f.By + ": " + f.Text
	}
}

// Pages show a line to all lobbies in the chat of each, with the name of who gave it. A line
// to one player is in no chat.
func TestLineToAllHasName(t *testing.T) {
	said := make(saidFor, 10)
	observe := func(uint32, string) host.Observer { return said }
	s := newStage(t, map[string]map[string]bool{}, func(o *host.Options) { o.Observers = append(o.Observers, observe) })
	for _, line := range []string{"console: host dota", "join 1 Ann", "admin: w Ann psst", "admin: say hello", "console: saygames hi", "console in 1: say ho"} {
		play(t, s, line)
	}
	var got []string
	for len(said) > 0 {
		got = append(got, <-said)
	}
	if want := []string{"admin: hello", "console: hi", "console: ho"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// No text that one person gives to a command reaches others with line breaks, control or invisible characters, and only
// an admin's with colours.
func TestTextsOfCommandsArePlain(t *testing.T) {
	said := make(saidFor, 10)
	observe := func(uint32, string) host.Observer { return said }
	s := newStage(t, map[string]map[string]bool{}, func(o *host.Options) { o.Observers = append(o.Observers, observe) })
	play(t, s, "console: host dota")
	play(t, s, "join 1 Ann")
	const text = "hi|n\n|cffff0000w3host|r: Ann\u200b has won\u202e"
	for _, level := range []command.Level{command.Owner, command.Admin} {
		by := command.Caller{Name: "Rook", Level: level, Via: command.ViaWeb}
		s.operator.Order(t.Context(), by, Order{Game: 1, Command: "say " + text})
	}
	for _, want := range []string{"Rook: hi w3host: Ann has won", "Rook: hi  |cffff0000w3host|r: Ann has won"} {
		if got := <-said; got != want {
			t.Errorf("others read %q, want %q", got, want)
		}
	}
}

// An admin's program that floods all lobbies with lines is refused, and root is not.
func TestLinesToAllAreBounded(t *testing.T) {
	s := newStage(t, map[string]map[string]bool{})
	play(t, s, "console: host dota")
	play(t, s, "join 1 Ann")
	for level, all := range map[command.Level]bool{command.Admin: false, command.Root: true} {
		by, sent := command.Caller{Name: "Rook", Level: level, Via: command.ViaWeb}, 0
		if level == command.Root {
			by.Name = "Root"
		}
		for range 3 * spokenBurst {
			if s.operator.Order(t.Context(), by, Order{Command: "say hello"}).Refused == "" {
				sent++
			}
		}
		if sent < spokenBurst || (sent == 3*spokenBurst) != all {
			t.Errorf("%v: %d of %d lines are sent", level, sent, 3*spokenBurst)
		}
	}
}
