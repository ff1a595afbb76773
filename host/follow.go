package host

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/survive"
	"w3host/record/journal"
)

const (
	// followEvery is how often a game is looked at whose turn is to end.
	followEvery = time.Millisecond
	// reviveGC is the percentage of garbage while games are made again: what is allocated then is nearly all kept.
	reviveGC = 400
)

// revive makes the games again that an earlier process has left, the shortest first, and
// gives each to the shard when it is done. It returns when all are that nobody plays;
// those that a process still plays follow.
func (h *Host) revive() {
	began := time.Now()
	defer debug.SetGCPercent(debug.SetGCPercent(reviveGC))
	h.oneBehind.Lock() // who observes games has time until all are played
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
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
		case tried || sv.fault != nil:
			alone = append(alone, sv)
		case h.goOnAlong(sv):
		case sv.Tried():
			alone = append(alone, sv)
		default:
			games = append(games, sv)
		}
	}
	for _, sv := range games {
		places <- struct{}{}
		all.Go(func() {
			h.reviveUnseen(sv)
			<-places
		})
	}
	all.Wait()
	for _, sv := range alone {
		h.reviveOne(sv)
	}
	h.oneBehind.Unlock()
	if n := len(h.shard.left.games) - len(played); n > 0 {
		h.shard.log.Info().Int("games", n).Dur("took", time.Since(began)).Msg("games taken over from the process before")
	}
	h.followAll(played, places)
}

// followAll takes over the games that another process plays. It returns at once.
func (h *Host) followAll(played []*survivor, places chan struct{}) {
	var settled, over sync.WaitGroup
	for _, sv := range played {
		settled.Add(1)
		over.Go(func() { // ends when the game is here, or is over
			h.follow(sv, places, sync.OnceFunc(settled.Done))
		})
	}
	go func() { // ends likewise
		settled.Wait()
		h.shard.Call(func() {
			h.coming = false
			if shelf := h.shard.left.Shelf; shelf != nil {
				shelf.Serving()
			}
		})
		over.Wait()
		h.shard.Call(h.shard.left.dropFlights)
	}()
}

// follow takes over a game that another process plays. One of which this program does not
// make the same stays there.
func (h *Host) follow(sv *survivor, places chan struct{}, settled func()) {
	places <- struct{}{}
	err := sv.fault
	if err == nil {
		err = h.shard.guard(sv.id, func() error { return h.takeOver(sv) })
	}
	<-places
	settled()
	if err == nil || errors.Is(err, errHostStops) {
		return
	}
	h.shard.log.Warn().Err(err).Uint32("game", sv.id).Msg("a game stays in the process before until its end")
	h.Keep(func(k *autohost.Keeper) { k.Started(sv.id) }) // nobody new comes into a lobby there: another one opens
	if !h.stay(sv) {
		return
	}
	defer h.claims.Done()
	if sv.fault != nil || sv.Ended() {
		h.dropEnded(sv)
		return
	}
	sv.fault = sv.Blame()
	h.reviveOne(sv)
}

// takeOver runs a game along until it is where the other process is, has that one let go at
// the end of a turn, and goes on. An error says why the game stays there.
func (h *Host) takeOver(sv *survivor) error {
	left := h.shard.left
	// Viewers get nothing of a game that may turn out to be another.
	if err := left.try(sv, h.shard.pause); err != nil {
		return err
	}
	g := h.survivorGame(sv)
	here := false
	defer func() {
		if !here {
			sv.Want(survive.Nothing)
			g.replay.Leave()
		}
	}()
	r, err := h.runAlong(g, sv)
	if err != nil {
		return err
	}
	if err := h.getGame(sv, r); err != nil {
		return err
	}
	defer h.claims.Done()
	if sv.Ended() {
		h.dropEnded(sv)
		return nil
	}
	here = true
	started := sv.Playing
	sv.fault = cmp.Or(sv.readHead(), sv.Blame())
	if started != sv.Playing { // only now its replay has a name
		g.replay.Leave()
		h.reviveOne(sv)
		return nil
	}
	v, err := h.finishRun(g, sv, r)
	h.goOn(g, sv, v, err)
	return nil
}

// runAlong runs a game to where the other process is, with its map at hand.
func (h *Host) runAlong(g *Game, sv *survivor) (*survive.Rerun, error) {
	left := h.shard.left
	written, err := left.written(sv)
	if err != nil {
		return nil, err
	}
	r, err := sv.Follow(written, left.parts(sv), &g.out, g.observe)
	if err == nil {
		err = left.catchUp(sv, r, true, h.shard.pause)
	}
	if err == nil {
		err = h.findMap(g, sv, r.Revived)
	}
	return r, err
}

// getGame asks the other process for the game, and runs it along until that process has let go.
func (h *Host) getGame(sv *survivor, r *survive.Rerun) (err error) {
	for mine := false; !mine; {
		sv.Want(survive.ToGoOn) // each time: a process that stands back takes its own wish back
		if mine, err = h.claim(sv); err == nil && !mine {
			err = h.shard.pause(followEvery)
		}
		if err == nil {
			err = r.Run(nil)
		}
		if known, differs := r.Same(); err == nil && known && !mine {
			err = differs
		}
		if err != nil && !mine {
			return err
		}
	}
	return nil // from here on the game is this process's, and finishRun finds what was wrong with the last inputs
}

// finishRun makes of the run a game that this process plays.
func (h *Host) finishRun(g *Game, sv *survivor, r *survive.Rerun) (v *survive.Revived, err error) {
	written, err := h.shard.left.written(sv)
	if err == nil {
		err = h.shard.guard(sv.id, func() (err error) { v, err = r.Finish(written); return err })
	}
	if err == nil {
		sv.Journal = journal.NewName(sv.id) // that process may not have removed its own yet
		g.ledger = v.Ledger
		err = g.noteHead(&sv.head)
	}
	return v, err
}

// catchUp runs a game to where the process is that plays it.
func (s *Survivors) catchUp(g *survivor, r *survive.Rerun, streams bool, pause func(time.Duration) error) error {
	for {
		var written map[game.LinkID]uint64
		var err error
		if streams {
			written, err = s.written(g)
		}
		if err == nil {
			err = r.Run(written)
		}
		if err != nil {
			return err
		}
		if known, err := r.Same(); known {
			return err
		}
		if err = pause(followEvery); err != nil {
			return err
		}
	}
}

// try runs a game again without a word to anybody. An error says that something else comes
// of it here.
func (s *Survivors) try(g *survivor, pause func(time.Duration) error) error {
	r, err := g.Follow(nil, nil, new(game.Out), func(*game.Stamped) {})
	if err == nil {
		err = s.catchUp(g, r, false, pause)
	}
	return err
}

// Try runs all games again that another process plays, and says which of them would stay
// there.
func (s *Survivors) Try(ctx context.Context) {
	began, same := time.Now(), 0
	for _, g := range s.games {
		err, wish := g.fault, survive.Nothing
		if err == nil && g.Left != nil {
			err = s.try(g, func(d time.Duration) error { time.Sleep(d); return ctx.Err() })
		}
		if err != nil {
			wish = survive.ToStay
			s.log.Warn().Err(err).Uint32("game", g.id).Msg("this game would stay in the process that plays it")
		} else {
			same++
		}
		if g.Left != nil {
			g.Want(wish)
		}
	}
	s.log.Info().Int("games", len(s.games)).Int("same", same).Dur("took", time.Since(began)).Msg("the games of the running host have been rerun")
}

// dropEnded forgets a game that has ended in the process that played it.
func (h *Host) dropEnded(sv *survivor) {
	h.shard.Wait(func() { h.shard.left.leave(sv) })
	h.Keep(func(k *autohost.Keeper) { k.Ended(sv.id) })
}
