package host

import (
	"fmt"
	"runtime/debug"

	"w3host/game"
	"w3host/host/loop"
	"w3host/host/survive"
)

// stand has the game stand still while another goroutine makes its machine again, without the
// packet of a player that it has crashed by. Inputs wait, since the step is still under way,
// and packets stay with the system.
func (g *Game) stand(culprit *link) {
	g.rebuilding, g.from = true, 0
	g.group.Touch()
	culprit.Cut(loop.ErrCrashed)
	for _, l := range g.links {
		l.Pause()
	}
	ledger := g.ledger
	go func() { // ends with the journal
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
			g.goOnWith(v, err)
		})
	}()
}

// goOnWith has the game go on with the machine that was made, and with the inputs that wait.
func (g *Game) goOnWith(v *survive.Revived, err error) {
	defer g.rescue()
	if err != nil {
		panic(fmt.Errorf("the game cannot be made again: %w", err)) // it ends as by the first
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

// guard makes an error of a panic while a game is made again.
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
