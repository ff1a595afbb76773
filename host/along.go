package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/hold"
	"w3host/host/survive"
	"w3host/record/gamelog"
	"w3host/record/journal"
	"w3host/record/recording"
)

const (
	// alongEvery is how often a standby runs games along, and trimEvery how often it asks
	// what the system has taken of their streams.
	alongEvery = 50 * time.Millisecond
	trimEvery  = time.Second
	// alongAgain is the time from one begin to run a game along from its start to the next: a client
	// that joins it begins that again, and anybody may try to.
	alongAgain = 2 * time.Second
	// followEvery is how often a game is looked at whose turn is to end.
	followEvery = time.Millisecond
)

// along is the machine of a game that another process plays or has left, run along with it or
// made again.
type along struct {
	*survive.Rerun       // nil: not begun
	seen           *Game // holds the facts that the host itself keeps of the game, and nothing else
	watch          func(*game.Stamped)
	facts          uint64
	trim           time.Time // when the system is asked again
	err            error
}

// newAlong makes one that nobody else observes.
func newAlong(g *survivor) *along {
	a := &along{seen: &Game{stepping: stepping{shard: &shard{registry: new(registry)}}}}
	a.seen.info = g.info()
	a.watch = func(f *game.Stamped) {
		a.facts = f.Seq
		(*ownObserver)(a.seen).Observe(f)
	}
	return a
}

var (
	errNoHolder = errors.New("the holder has ended")
	errStoodBy  = errors.New("told to end while it stood by")
)

// StandBy waits until the process before has everything but its games end, and takes note
// of everything that it puts and drops meanwhile. It calls ready whenever this process could go on at
// once: a standby has run all games along by then. An error says that the holder or ctx has
// ended.
func (s *Survivors) StandBy(ctx context.Context, ready func()) error {
	var run <-chan time.Time
	if s.Shelf.IsStandby() {
		every := time.NewTicker(alongEvery)
		defer every.Stop()
		run = every.C
	} else {
		ready()
	}
	for {
		var n hold.News
		var more bool
		select {
		case <-ctx.Done():
			return errStoodBy
		case n, more = <-s.Shelf.News():
		case <-run:
			s.runAlong()
			ready()
			continue
		}
		if !more {
			return errNoHolder
		}
		switch n.Verb {
		case hold.Held:
			s.Shelf.Left()[n.Name] = n.FD
			s.hold(n.Name, n.FD)
		case hold.Dropped:
			s.dropped(n.Name)
		case hold.GoOn:
			return nil
		}
	}
}

// Moved counts the steps of a standby. A game that hangs it, as it may hang the host, shows
// in that.
func (s *Survivors) Moved() uint64 { return s.moved.Load() }

// runAlong runs all games along. It is called again and again.
func (s *Survivors) runAlong() {
	s.moved.Add(1)
	for _, g := range s.games {
		if g.fault != nil || g.Left == nil {
			continue
		}
		if g.along == nil {
			if time.Since(g.alongAt) < alongAgain {
				continue
			}
			g.alongAt = time.Now()
			g.along = newAlong(g)
		}
		g.along.follow(s, g)
		s.moved.Add(1)
	}
}

// follow implements follower.
func (a *along) follow(s *Survivors, g *survivor) {
	if a.err != nil {
		return
	}
	if a.err = a.run(s, g); a.err != nil {
		s.log.Warn().Err(a.err).Uint32("game", g.id).Msg("a standby cannot run this game along, and makes it again if the host dies")
	}
}

// run is advance. A step that panics there has not panicked in the other process, or will not be taken again.
func (a *along) run(s *Survivors, g *survivor) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return a.advance(s, g)
}

// advance goes on to where the other process is.
func (a *along) advance(s *Survivors, g *survivor) (err error) {
	var written map[game.LinkID]uint64
	if now := time.Now(); now.After(a.trim) {
		a.trim = now.Add(trimEvery)
		if written, err = s.written(g); err != nil {
			return err
		}
	}
	if err = a.begin(s, g, written); err == nil {
		err = a.Run(written)
	}
	if err == nil {
		err = s.needMap(g, a.Revived) // it is not the time for that when the host has died
	}
	return err
}

// catchUp advances until nothing is ahead. An error says that something else comes of the game here.
func (a *along) catchUp(s *Survivors, g *survivor, pause func(time.Duration) error) error {
	for {
		err := a.advance(s, g)
		if err == nil {
			known, differs := a.Same()
			if known {
				return differs
			}
			err = pause(followEvery)
		}
		if err != nil {
			return err
		}
	}
}

// begin makes the machine, if there is none yet.
func (a *along) begin(s *Survivors, g *survivor, written map[game.LinkID]uint64) (err error) {
	if a.Rerun == nil {
		a.Rerun, err = g.Follow(written, s.parts(g), new(game.Out), a.watch)
	}
	return err
}

// finish makes of it a game of this process's.
func (h *Host) finish(a *along, sv *survivor) (v *survive.Revived, err error) {
	left := h.shard.left
	written, err := left.written(sv)
	if err == nil {
		err = h.shard.guard(sv.id, func() (err error) {
			if err = a.begin(left, sv, written); err == nil {
				v, err = a.Finish(written)
			}
			return err
		})
	}
	if err == nil {
		err = left.needMap(sv, v)
	}
	return v, err
}

// goOnAlong has a game go on at once that was run along; false: it has to be made again.
func (h *Host) goOnAlong(sv *survivor) bool {
	a, _ := sv.along.(*along)
	if a == nil || a.err != nil || a.Rerun == nil {
		return false
	}
	err := h.goOnUnseen(sv, a)
	if err != nil {
		h.shard.log.Warn().Err(err).Uint32("game", sv.id).Msg("a game that the standby ran along is restored from its ledger")
	}
	return err == nil
}

// reviveOne has a game of this process's go on, and shows it to its observers afterwards.
// One that cannot be made again is shown to them as far as it goes.
func (h *Host) reviveOne(sv *survivor, a *along) {
	if sv.fault != nil || sv.Tried() || h.goOnUnseen(sv, a) != nil {
		h.reviveSeen(sv)
	}
}

// reviveSeen makes a game of this process's again while its observers see it, so that a fault of
// theirs costs as much as the first time. A fault of the game ends it, and no other.
func (h *Host) reviveSeen(sv *survivor) {
	g := h.survivorGame(sv)
	v, err := (*survive.Revived)(nil), sv.fault
	if err == nil {
		v, err = h.finish(&along{watch: g.observe}, sv)
	}
	if err != nil {
		v = &survive.Revived{Journal: sv.Written(), Keep: true}
	}
	g.journal = journal.Resume(h.shard.journals, v.Ledger, sv.Journal, v.Journal, v.Writer, v.Sum, v.Keep || g.journal.Kept())
	if len(v.Skipped) > 0 {
		g.journal.Keep()
		g.journal.End(false) // it shows how the process ends
	}
	adopted := h.shard.Wait(func() {
		if err == nil {
			h.adopt(g, v, sv)
			return
		}
		g.log.Error().Err(err).Str("journal", g.journal.End(false)).Msg("a game cannot be made again: its players see a closed connection")
		g.records.Crashed(time.Now(), err.Error())
		g.replay.End()
		h.shard.left.giveUp(sv, h.shard.left.network().Reset)
		h.Keep(func(k *autohost.Keeper) { k.Ended(sv.id) })
	})
	if !adopted {
		lost(g.log, g.records, g.replay)
	}
}

// lost records that a game has ended which was claimed while the host stopped, and could not be given to the
// loop in time.
func lost(log zerolog.Logger, records *gamelog.Records, replay *recording.Recording) {
	log.Error().Msg("a game ends with this process: the host has stopped before the game could go on")
	records.Crashed(time.Now(), errHostStops.Error())
	replay.End()
}

// goOnUnseen has a game go on that its observers see afterwards. After an error nothing has
// happened.
func (h *Host) goOnUnseen(sv *survivor, a *along) error {
	v, err := h.finish(a, sv)
	if err != nil {
		return err
	}
	g := h.survivorGame(sv)
	g.behind = &behind{g.records, g.replay, slices.DeleteFunc(g.observers, isOwn), a.facts}
	g.records, g.replay = gamelog.Resume(h.shard.opts.Recorder, sv.Key, sv.head.Opened, math.MaxUint64), nil
	g.observers = []Observer{(*ownObserver)(g)}
	seen := a.seen
	g.info, g.saved, g.loading, g.watching, g.onShow = seen.info, seen.saved, seen.loading, seen.watching, seen.onShow
	g.journal = journal.Resume(nil, v.Ledger, sv.Journal, nil, v.Writer, v.Sum, v.Keep || seen.journal.Kept())
	b := g.behind
	if h.shard.Wait(func() { h.adopt(g, v, sv) }) {
		h.catching.Go(func() { h.catchUp(g, v.Ledger.Left()) })
	} else {
		lost(g.log, b.records, b.replay)
	}
	return nil
}

func isOwn(o Observer) bool { _, is := o.(*ownObserver); return is }
