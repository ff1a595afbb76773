package daemon

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"w3host/control"
	"w3host/hold"
	"w3host/storage"
)

const (
	// sayEvery is how often a program that stands by reports so to the holder.
	sayEvery = time.Second
	// startWithin is how long it may take to be ready. Then it says nothing more, and is
	// refused.
	startWithin = time.Minute
	// answerWithin is longer than any upgrade takes to be refused or to be handed over to: a minute of attempts
	// to start, startWithin, and ten seconds of silence. A holder of an earlier version may lose an answer.
	answerWithin = 3 * time.Minute
)

// upgrading holds the state for the end of an upgrade, on both sides.
type upgrading struct {
	couldGoOn atomic.Bool  // this process could go on in the place of another one
	goesOn    atomic.Bool  // it does
	handing   atomic.Bool  // another process goes on in the place of this one
	endBy     atomic.Int64 // when this process is to have ended, in nanoseconds since 1970
	relay     relay

	mu    sync.Mutex
	asked *asked // the upgrade under way; nil: nobody here has asked for one
}

// asked is an upgrade that a caller waits for.
type asked struct {
	outlive func()                        // has the caller wait until the games have moved; nil: it cannot
	answer  func(control.Upgraded, error) // once, by answerTo
	endings []func()                      // release what waits for the upgrade
}

// relay passes records to the recorder of the moment.
type relay struct {
	to atomic.Pointer[storage.Recorder]
}

func (r *relay) Record(rec storage.Record) { r.to.Load().Record(rec) }

var errNoHolder = errors.New("there is no holder: games go on in another program under w3host hold only")

// upgrade asks for another program to go on; empty: the one at the path of this one. Unless it returns an
// error, it calls answer once, later: when that program hosts and the games have moved, or it is refused, or nothing is heard
// of it. A caller without outlive is answered before the games move.
func (d *daemon) upgrade(path string, outlive func(), answer func(control.Upgraded, error)) error {
	if d.Shelf == nil {
		return errNoHolder
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked != nil {
		return errors.New("an upgrade is under way already")
	}
	if err := d.Shelf.Upgrade(path); err != nil {
		return err
	}
	a := &asked{outlive: outlive, answer: answer}
	overdue := time.AfterFunc(answerWithin, func() {
		d.answerTo(a, control.Upgraded{}, fmt.Errorf("the holder has not answered for %v; the log of w3host hold says what has become of the new program", answerWithin))
	})
	stops := context.AfterFunc(d.ctx, func() { d.answerTo(a, control.Upgraded{}, errStopping) })
	a.endings = []func(){func() { overdue.Stop() }, func() { stops() }}
	d.asked = a
	return nil
}

var errStopping = errors.New("the host is stopping")

// underWay returns the upgrade that a caller waits for; nil: none.
func (d *daemon) underWay() *asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

// answerTo answers a caller who has no answer yet. Every answer to an upgrade comes from here.
func (d *daemon) answerTo(a *asked, u control.Upgraded, err error) {
	d.mu.Lock()
	waits := a != nil && d.asked == a
	if waits {
		d.asked = nil
	}
	d.mu.Unlock()
	if !waits {
		return
	}
	a.release()
	a.answer(u, err)
}

// release ends the waiting for the upgrade.
func (a *asked) release() {
	for _, end := range a.endings {
		end()
	}
}

// handsOver has this process make place for the next one. The caller of the upgrade waits until the games have moved, or is
// answered now.
func (d *daemon) handsOver() {
	d.handing.Store(true)
	if a := d.underWay(); a != nil && a.outlive != nil {
		a.release()
		a.outlive()
	} else if a != nil {
		d.answerTo(a, control.Upgraded{Stay: d.running.Staying()}, nil)
	}
	d.stop()
}

// answerMoved answers the caller of the upgrade when the games have moved, and returns when the caller has the answer.
func (d *daemon) answerMoved(ctx context.Context) {
	u := control.Upgraded{Moved: true}
	u.Stay, u.Behind = d.running.Moved(ctx)
	d.Log.Info().Int("stay", len(u.Stay)).Int("behind", len(u.Behind)).Msg("the running games have moved to the next process")
	var err error
	if ctx.Err() != nil {
		err = errStopping
	}
	d.answerTo(d.underWay(), u, err)
	d.operator.Await()
}

// hearHolder carries out what the holder says. It ends with the holder.
func (d *daemon) hearHolder() {
	for n := range d.Shelf.News() {
		switch n.Verb {
		case hold.Refused:
			d.answerTo(d.underWay(), control.Upgraded{}, errors.New(n.Why))
		case hold.HandOver:
			d.handsOver()
		}
	}
	d.answerTo(d.underWay(), control.Upgraded{}, hold.ErrEnded)
}

// sayReady reports to the holder that this process, which stands by, is about to be ready, or
// is, until it goes on. A standby that a game hangs says nothing.
func (d *daemon) sayReady(movedBy func() uint64) {
	every, began, moved := time.NewTicker(sayEvery), time.Now(), uint64(0)
	defer every.Stop()
	for !d.goesOn.Load() {
		select {
		case <-d.ctx.Done():
			return
		case <-every.C:
		}
		before := moved
		moved = movedBy()
		if alive := d.couldGoOn.Load() || time.Since(began) < startWithin; moved != before || moved == 0 && alive {
			d.Shelf.Ready(d.couldGoOn.Load())
		}
	}
}

// standBy waits, in a process that an upgrade has started, until the one before has ended
// everything but its games. Up to then nothing has happened, whatever goes wrong: not even
// the schema of the database is another one.
func (d *daemon) standBy() error {
	if d.Shelf == nil {
		return nil
	}
	left := d.host.Inherited
	if d.Shelf.StandsBy() {
		if err := left.StandBy(d.ctx, sync.OnceFunc(func() {
			d.Log.Info().Msg("ready to go on in the place of the host that runs")
			d.couldGoOn.Store(true)
			d.Shelf.Ready(true)
		})); err != nil {
			return err
		}
		d.goesOn.Store(true)
		if d.Shelf.IsStandby() {
			d.readAgain()
		}
	}
	left.Claim()
	go d.hearHolder() // ends with the holder
	return nil
}

// readAgain has a standby go on with the configuration of that moment, as a process that was
// started now would: the host may have been told to reload it.
func (d *daemon) readAgain() {
	c, err := d.Read()
	if err == nil && !reflect.DeepEqual(c, d.Config) {
		before, options := d.Config, d.host
		d.Config, d.host = c, hostOptions(c, d.Version, d.Log)
		d.host.Inherited = options.Inherited
		if err = checkFolders(c); err == nil {
			err = d.openMaps()
		}
		if err != nil {
			d.Config, d.host = before, options
		}
	}
	if err != nil {
		d.Log.Error().Err(err).Msg("the configuration holds as it was when the standby started")
	}
}

// handOver ends everything but the games. Those that the other process does not take over
// are played to their end.
func (d *daemon) handOver(ctx context.Context) error {
	if err := d.end(false); err != nil {
		d.Log.Warn().Err(err).Msg("stopped before everything had shut down")
	}
	d.Console.Close()
	d.recordApart()
	d.running.HandOver(func() {
		if err := d.Shelf.Done(); err != nil {
			d.Log.Error().Err(err).Msg("the holder has ended: no other process goes on with the games")
		}
	})
	d.Log.Info().Msg("another process hosts now")
	defer context.AfterFunc(ctx, d.endSoon)()
	var answered sync.WaitGroup
	answered.Go(func() { d.answerMoved(ctx) }) // within a minute
	defer answered.Wait()
	err := d.running.Outlast(ctx)
	if ctx.Err() == nil {
		d.endSoon()
	}
	d.Log.Info().Msg("w3host has stopped")
	return err
}

// recordApart lets the spool go. Later records have one of their own.
func (d *daemon) recordApart() {
	main := d.recorder
	beside, err := main.Detach()
	if err != nil {
		d.Log.Error().Err(err).Msg("the games of this process are not recorded from now on")
	} else {
		d.relay.to.Store(beside)
		d.recorder = beside
	}
	closeRecorder(main, time.Now().Add(recordsTimeout), d.Log)
}
