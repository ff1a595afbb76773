package control

import (
	"slices"
	"testing"

	"w3host/game"
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
