package takeover

import (
	"context"
	"errors"
	"slices"
	"time"

	"w3host/hold"
)

// lookEvery is how often a process that stands by looks at the games.
const lookEvery = 50 * time.Millisecond

var (
	errNoSupervisor = errors.New("the holder has ended")
	errToldToEnd    = errors.New("told to end while it stood by")
)

// StandBy keeps a replica of every game until the supervisor says that this process hosts. It calls ready whenever
// this process could host at once. An error says that the supervisor or ctx has ended.
func (in *Inheritance) StandBy(ctx context.Context, ready func()) error {
	began, look, told := time.Now(), time.NewTimer(0), false
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return errToldToEnd
		case n, more := <-in.Supervisor.News():
			if !more {
				return errNoSupervisor
			}
			switch n.Verb {
			case hold.Held:
				in.Supervisor.Inherited()[n.Name] = n.FD
				in.receive(n.Name, n.FD)
			case hold.Dropped:
				in.dropped(n.Name)
			case hold.GoOn:
				return nil
			}
		case <-look.C:
			pause, all := followEvery, in.lookAtAll()
			if all || in.Supervisor.IsStandby() {
				pause = lookEvery
				ready()
			}
			if all && !told && !in.Supervisor.IsStandby() {
				told = true
				stay := len(slices.DeleteFunc(slices.Clone(in.games), func(g *Game) bool { return g.state != Staying }))
				in.log.Info().Int("games", len(in.games)).Int("stay", stay).Dur("took", time.Since(began)).Msg("the games of the running host have been replayed")
			}
			look.Reset(pause)
		}
	}
}

// Moved counts the steps of StandBy, so that a game that hangs it shows.
func (in *Inheritance) Moved() uint64 { return in.moved.Load() }

// lookAtAll brings all replicas up to their owners, and reports whether each game was verified once or stays.
func (in *Inheritance) lookAtAll() (all bool) {
	in.moved.Add(1)
	all = true
	for _, g := range in.games {
		if g.Left == nil || g.state == Staying {
			continue
		}
		before := g.state
		if in.move(g) == Differed {
			in.log.Warn().Err(g.differs).Uint32("game", g.ID).Msg("this game would stay in the process that plays it")
		}
		if g.state != before && !in.Supervisor.IsStandby() {
			g.Left.Verdict(g.state == Staying)
		}
		all = all && (g.verified || g.state == Staying)
		in.moved.Add(1)
	}
	return all
}
