package host

import (
	"w3host/game"
	"w3host/game/command"
	"w3host/storage"
)

// Command has the game carry a line out, and returns when that is done. It must
// not be called on the shard.
func (g *Game) Command(by *command.Caller, line string) error {
	over := false
	ran := g.shard.Wait(func() {
		if over = g.over; !over {
			defer g.rescue()
			g.step(&game.Input{Kind: game.Command, Caller: by, Line: game.Blank(line)})
		}
	})
	switch {
	case !ran:
		return errHostStops
	case over:
		return errGameOver
	}
	return nil
}

// Tell says something to one player of the game, or to all of them.
func (g *Game) Tell(to *command.Caller, text string) {
	g.call(func(g *Game) { g.step(&game.Input{Kind: game.HostLine, Caller: to, Line: text}) })
}

// Key is the game's key in the game log.
func (g *Game) Key() storage.GameKey { return g.records.Key() }
