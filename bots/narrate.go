package bots

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A person in front of a silent program wonders whether it hangs: often at
// first, seldom later.
const (
	narrateEvery = 5 * time.Second
	narrateLater = 30 * time.Second
)

// narrate says what the bots wait for, until ctx ends.
func (r *run) narrate(ctx context.Context, games []*game) {
	for {
		pause := narrateEvery
		if r.now() > time.Minute {
			pause = narrateLater
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if text := r.waitsFor(games); text != "" {
			r.log.Info().Msg(text)
		}
	}
}

// waitsFor is what the games are doing, those at the same stage together.
func (r *run) waitsFor(games []*game) string {
	stages := []string{
		fmt.Sprintf("waiting for a lobby with %d open slots at %s", r.opts.Players, r.opts.Addr),
		"waiting for bots to join and to have the map", "waiting in the lobby for the host to start", "loading", "playing",
	}
	counts := make([]int, len(stages))
	for _, g := range games {
		if stage := g.stage(); stage >= 0 {
			counts[stage]++
		}
	}
	var parts []string
	for i, n := range counts {
		switch {
		case n == 0:
		case len(games) == 1:
			parts = append(parts, stages[i])
		default:
			parts = append(parts, fmt.Sprintf("%d games %s", n, stages[i]))
		}
	}
	if end := time.Duration(r.until.Load()); len(parts) > 0 && end > r.now() {
		parts = append(parts, fmt.Sprintf("%v to go", (end-r.now()).Round(time.Second)))
	}
	return strings.Join(parts, ", ")
}

// stage is an index of the stages in waitsFor, or -1 when the game is over.
func (g *game) stage() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	stage, there := 0, false
	for _, p := range g.players {
		switch {
		case p.phase >= leaving:
			continue
		case p.phase == playing:
			return 4
		case p.phase >= starting:
			stage = 3
		case p.phase == inLobby && stage == 0:
			stage = 1
		}
		there = true
	}
	switch {
	case !there && (g.running || g.gathered):
		return -1
	case stage == 1 && g.gathered:
		return 2
	}
	return stage
}
