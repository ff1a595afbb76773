package host

import (
	"fmt"
	"runtime/debug"

	"w3host/game"
	"w3host/host/loop"
	"w3host/host/survive"
)

// rebuild pauses the game while another goroutine rebuilds its machine from the ledger, without the player's packet that it
// panicked over. Inputs wait, because the step is still in progress, and packets stay in the kernel.
func (g *Game) rebuild(culprit *link) {
	g.rebuilding, g.from = true, 0
	g.group.Touch()
	culprit.Cut(loop.ErrCrashed)
	for _, l := range g.links {
		l.Pause()
	}
	ledger := g.ledger
	go func() { // ends when the ledger is replayed
		var v *survive.Revived
		err := g.shard.guard(g.id, func() (err error) {
			v, err = ledger.Left().Revive(nil, nil, new(game.Out), func(*game.Stamped) {})
			return err
		})
		g.shard.Call(func() {
			if g.rebuilding = false; g.over {
				if g.behind == nil {
					_ = ledger.Memory().Close() // nothing is lost with it
				}
				return
			}
			g.continueWith(v, err)
		})
	}()
}

// continueWith continues the game with the rebuilt machine and the waiting inputs.
func (g *Game) continueWith(v *survive.Revived, err error) {
	defer g.rescue()
	if err != nil {
		panic(fmt.Errorf("the game cannot be made again: %w", err)) // the game ends as after any panic
	}
	g.machine = v.Machine
	g.out.Reset()
	for _, l := range g.links {
		g.shard.Resume(l.Conn)
	}
	late := game.Input{Kind: game.Survived, By: g.shard.Now() - g.opened - v.Last}
	g.pending = append([]game.Input{late}, g.pending[g.next:]...)
	g.next = 0
	g.log.Info().Int("inputs", v.Inputs).Dur("stood", late.By).Msg("the game goes on")
	g.runPending()
}

// guard calls do, which rebuilds a game, and returns an error if it panics.
func (s *shard) guard(id uint32, do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			what := fmt.Sprintf("panic: %v", fault)
			file := s.saveCrash(fmt.Sprintf("game-%d", id), what, debug.Stack(), "while it was made again\n")
			err = fmt.Errorf("%s; see %s", what, file)
		}
	}()
	return do()
}
