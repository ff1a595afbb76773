package host

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"w3host/game/autohost"
)

// reviveGC is the percentage of garbage while games are made again: nearly all the memory allocated then is kept.
const reviveGC = 400

// revive makes the games again that an earlier process has left, the shortest first, and
// gives each to the shard when it is done. It returns when all are that nobody plays;
// those that a process still plays follow.
func (h *Host) revive() {
	began := time.Now()
	percent := debug.SetGCPercent(reviveGC)
	if percent < 0 || percent > reviveGC { // as the operator wants it
		debug.SetGCPercent(percent)
	}
	defer debug.SetGCPercent(percent)
	h.oneBehind.Lock() // observers of games have time until all are played
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	var games, alone, played []*survivor // alone, so that only one can be to blame if this process ends, too
	for _, sv := range h.shard.left.games {
		if !sv.Own() {
			played = append(played, sv)
			continue
		}
		if sv.Ended() { // a moment ago
			h.dropEnded(sv)
			continue
		}
		tried := sv.Tried() // then an input may be left out
		sv.fault = sv.Blame()
		switch {
		case !tried && sv.fault == nil && h.goOnAlong(sv):
		case sv.Tried():
			alone = append(alone, sv)
		default:
			games = append(games, sv)
		}
	}
	for _, sv := range games {
		all.Go(func() error { h.reviveOne(sv, newAlong(sv)); return nil })
	}
	_ = all.Wait() // none fails
	for _, sv := range alone {
		h.reviveSeen(sv)
	}
	h.oneBehind.Unlock()
	if n := len(h.shard.left.games) - len(played); n > 0 {
		h.shard.log.Info().Int("games", n).Dur("took", time.Since(began)).Msg("games taken over from the process before")
	}
	h.takeovers.Go(func() { h.followAll(played) }) // ends when they are here, or are over, or the host stops
}

// followAll takes over the games that another process plays.
func (h *Host) followAll(played []*survivor) {
	var settled errgroup.Group
	var over sync.WaitGroup
	settled.SetLimit(runtime.GOMAXPROCS(0))
	for _, sv := range played {
		settled.Go(func() error {
			if !h.follow(sv) {
				over.Go(func() { h.stay(sv) }) // ends when the game is here, or is over
			}
			return nil
		})
	}
	_ = settled.Wait() // none fails
	h.shard.Call(func() {
		h.coming = false
		if shelf := h.shard.left.Shelf; shelf != nil {
			shelf.Serving()
		}
	})
	over.Wait()
	h.shard.Call(h.shard.left.dropFlights)
}

// follow takes over a game that another process plays; false: it stays there, since this program
// does not make the same of it.
func (h *Host) follow(sv *survivor) bool {
	err := sv.fault
	if err == nil {
		err = h.shard.guard(sv.id, func() error { return h.takeOver(sv) })
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, errHostStops):
		h.quit(sv)
		return true
	}
	sv.Withdraw() // if it was released by then, stay claims it
	h.shard.log.Warn().Err(err).Uint32("game", sv.id).Msg("a game stays in the process before until its end")
	h.Keep(func(k *autohost.Keeper) { k.Started(sv.id) }) // nobody new comes into a lobby there: another one opens
	return false
}

// takeOver runs a game along until it is where the other process is, has that one let go at
// the end of a turn, and goes on. An error says why the game stays there.
func (h *Host) takeOver(sv *survivor) error {
	a := newAlong(sv)
	for {
		mine, err := false, errHostStops
		if !h.stopped() {
			err = a.catchUp(h.shard.left, sv, h.pause)
		}
		if err == nil {
			sv.Request() // each time: a rehearsal of a third process may have taken its place
			mine, err = h.claim(sv)
		}
		if mine {
			h.goOnClaimed(sv, a)
			return nil
		}
		if err == nil {
			err = h.pause(followEvery)
		}
		if err != nil {
			return err
		}
	}
}

// Try runs all games again that another process plays, and says which of them would stay
// there.
func (s *Survivors) Try(ctx context.Context) {
	began, same := time.Now(), 0
	for _, g := range s.games {
		err := g.fault
		if err == nil && g.Left != nil {
			err = newAlong(g).catchUp(s, g, func(d time.Duration) error { time.Sleep(d); return ctx.Err() })
		}
		if err != nil {
			s.log.Warn().Err(err).Uint32("game", g.id).Msg("this game would stay in the process that plays it")
		} else {
			same++
		}
		if g.Left != nil {
			g.Verdict(err != nil)
		}
	}
	s.log.Info().Int("games", len(s.games)).Int("same", same).Dur("took", time.Since(began)).Msg("the games of the running host have been rerun")
}
