package game

import (
	"testing"
	"time"
)

// TestIdleGame: a game in which no player acts ends. A game that is paused, or waits for a player to reconnect, does not.
func TestIdleGame(t *testing.T) {
	s := newScene()
	begin := func() {
		cfg := s.m.cfg
		cfg.IdleTimeout = time.Minute
		s.open(cfg)
		playLines(t, s, "join Ann", "join Bob", "proxy Bob", "console: start now", "load", "play 1s", "acked Bob")
	}
	begin()
	if playLines(t, s, "play 50s", "acts Ann 1", "play 50s"); s.m.Over() {
		t.Fatal("the game is over though a player has acted")
	}
	if playLines(t, s, "play 11s"); !s.m.Over() {
		t.Error("a game in which nobody acts goes on")
	}
	begin()
	s.step(Input{Kind: Action, Link: s.links["Ann"], Data: []byte{actionPause}})
	if playLines(t, s, "play 2m"); s.m.Over() {
		t.Error("a paused game is over")
	}
	s.step(Input{Kind: Action, Link: s.links["Ann"], Data: []byte{actionResume}})
	if playLines(t, s, "play 61s"); !s.m.Over() {
		t.Error("a game that was paused goes on")
	}
	begin()
	if playLines(t, s, "play 50s", "lose Bob", "wait 2m"); s.m.Over() {
		t.Error("a game that waits for a player to reconnect is over")
	}
}

// playLines plays lines of a script.
func playLines(t *testing.T, s *scene, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := s.event(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}
