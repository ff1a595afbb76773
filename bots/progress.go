package bots

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Intervals between progress messages, in the first minute and later.
const (
	logEvery = 5 * time.Second
	logLater = 30 * time.Second
)

// logProgress logs until ctx ends what the games are doing.
func (r *run) logProgress(ctx context.Context, games []*game) {
	for pause := logEvery; sleep(ctx, pause); {
		if r.now() > time.Minute {
			pause = logLater
		}
		if text := r.progress(games); text != "" {
			r.log.Info().Msg(text)
		}
	}
}

// progress describes what the games are doing, grouped by stage. It returns "" if none is active.
func (r *run) progress(games []*game) string {
	stages := []string{
		fmt.Sprintf("waiting for a lobby with %d open slots at %s", r.opts.Players, r.opts.Addr),
		"waiting for bots to join and to have the map", "waiting in the lobby for the host to start", "loading", "playing",
	}
	end := time.Duration(r.until.Load())
	if r.opts.Watch {
		stages[0], stages[4] = "looking for a game to watch at "+r.opts.Addr, "watching"
		end = 0 // the length of the recording is unknown
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
	if len(parts) > 0 && end > r.now() {
		parts = append(parts, fmt.Sprintf("%v to go", (end-r.now()).Round(time.Second)))
	}
	return strings.Join(parts, ", ")
}

// stage returns the game's index in the stages of progress, or -1 when the game is over.
func (g *game) stage() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	here, furthest := g.present(), joining
	for _, p := range here {
		furthest = max(furthest, p.phase)
	}
	switch {
	case len(here) == 0 && (g.running || g.gathered):
		return -1
	case furthest == playing:
		return 4
	case furthest >= starting:
		return 3
	case furthest == inLobby && g.gathered:
		return 2
	}
	return int(furthest) // joining or inLobby
}
