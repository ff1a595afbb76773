package takeover

import (
	"fmt"
	"time"

	"w3host/game"
	"w3host/host/survive"
)

const (
	// countEvery is how often a replica asks how many bytes the system has taken of the streams.
	countEvery = time.Second
	// beginEvery is the least time between two starts of a replica of one game: each descriptor that its owner
	// puts restarts the replica, and any client can cause that by joining.
	beginEvery = 2 * time.Second
)

// replica re-executes the journal of a game that another process owns or has left.
type replica struct {
	*survive.Rerun          // nil: not begun
	Facts          Observer // keeps what lists show
	known          uint64   // the last fact
	countAt        time.Time
}

// Observer sees the facts of a game.
type Observer interface {
	Observe(*game.Stamped)
}

// move brings the replica of a game up to its owner's journal, and returns what has changed.
func (in *Inheritance) move(g *Game) Event {
	if g.fault != nil {
		g.differs = g.fault
		g.state.To(Differed)
		return Differed
	}
	if g.replica == nil || g.replica.Rerun != nil && g.replica.Stale() {
		if time.Since(g.begunAt) < beginEvery {
			return Grew
		}
		g.begunAt, g.replica = time.Now(), in.newReplica(g)
		g.state.To(Began)
	}
	e := Grew
	g.differs = in.guarded(g.ID, func() error {
		err := g.replica.advance(in, g)
		if err != nil {
			return err
		}
		verified, err := g.replica.Same()
		if verified {
			e = Verified
		}
		return err
	})
	if g.differs != nil {
		e = Differed
	}
	g.verified = g.verified || e == Verified
	g.state.To(e)
	return e
}

func (in *Inheritance) newReplica(g *Game) *replica { return &replica{Facts: in.Facts(g)} }

// advance re-executes what the owner has added to the journal.
func (r *replica) advance(in *Inheritance, g *Game) (err error) {
	var written map[game.LinkID]uint64
	if now := time.Now(); now.After(r.countAt) {
		r.countAt = now.Add(countEvery)
		if written, err = in.written(g); err != nil {
			return err
		}
	}
	if err = r.follow(in, g, written); err == nil {
		err = r.Run(written)
	}
	if err == nil && !r.Playing { // there is no time for that once the owner has died
		err = in.openMap(g, &r.Config)
	}
	return err
}

// finish makes the replica of a claimed game the one that goes on.
func (r *replica) finish(in *Inheritance, g *Game) (v *survive.Revived, err error) {
	written, err := in.written(g)
	if err != nil {
		return nil, err
	}
	err = in.guarded(g.ID, func() (err error) {
		if err = r.follow(in, g, written); err == nil {
			v, err = r.Finish(written)
		}
		return err
	})
	if err == nil && !v.Playing {
		err = in.openMap(g, &v.Config)
	}
	return v, err
}

// follow begins the rerun, if it has not begun yet.
func (r *replica) follow(in *Inheritance, g *Game, written map[game.LinkID]uint64) (err error) {
	if r.Rerun == nil {
		r.Rerun, err = g.Left.Follow(written, in.parts(g), new(game.Out), func(f *game.Stamped) {
			r.known = f.Seq
			r.Facts.Observe(f)
		})
	}
	return err
}

// guarded calls do and makes an error of a panic.
func (in *Inheritance) guarded(id uint32, do func() error) (err error) {
	if in.guard != nil {
		return in.guard(id, do)
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return do()
}
