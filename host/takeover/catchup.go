package takeover

import (
	"context"

	"w3host/game"
	"w3host/host/survive"
)

// show shows a claimed game to its observers, from its first fact on, until they are where the game is.
func (t *Takeover) show(c *Claim, a Audience) {
	var r *survive.Rerun
	again := func() error {
		return t.in.guarded(c.ID, func() (err error) {
			if r == nil {
				r, err = c.Left.Follow(nil, nil, new(game.Out), func(f *game.Stamped) { t.showFact(c, a, r.At(), f) })
			}
			if err == nil && !t.silent.Load() {
				err = r.Run(nil)
			}
			return err
		})
	}
	from := 0
	release := t.hold() // the games that are played need the processor, too
	defer release()
	if c.fault == nil {
		if err := again(); c.Err == nil { // else they have seen what there is of the game
			c.Err = err
		}
	}
	written := c.Left.Written()
	if r != nil {
		written, _ = r.Whole()
	}
	c.Written, from = game.WithoutNotes(written), len(written)
	if c.Err == nil {
		c.Err = again() // the inputs that have come meanwhile
	}
	release()
	t.host.AwaitJournal(len(c.Written))
	live := func() {
		if c.Err == nil {
			c.Err = again()
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.silent.Load() { // and all that would take it is closed
			return
		}
		if r != nil {
			if written, c.Whole = r.Whole(); len(written) > from {
				c.Written = game.AppendWithoutNotes(c.Written, written, from)
			}
		}
		if a.Live(c); c.Revived == nil {
			t.in.discard(c.Game)
			t.host.Ended(c.ID)
		}
	}
	if !t.host.Call(live) {
		live() // the loop has ended
	}
}

// showFact shows one fact of the entry at a place to the observers.
func (t *Takeover) showFact(c *Claim, a Audience, at uint64, f *game.Stamped) {
	if t.silent.Load() {
		return
	}
	f.Again = f.Seq <= c.known
	for i := range a.Len() {
		if !c.Left.Muted(i) {
			c.Left.Showing(at, i)
			a.Observe(i, f)
		}
	}
	c.Left.Shown()
}

// Await waits until the observers of all games have caught up, but not longer than ctx. They are shown nothing after that.
func (t *Takeover) Await(ctx context.Context) {
	done := make(chan struct{})
	go func() { t.showing.Wait(); close(done) }() // ends with the last of them
	select {
	case <-done:
	case <-ctx.Done():
		t.mu.Lock()
		t.silent.Store(true)
		t.mu.Unlock()
	}
}
