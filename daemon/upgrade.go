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
	// sayEvery is the interval at which a standby process reports to the supervisor.
	sayEvery = time.Second
	// startWithin is how long a new process may take to become ready. After that it stops reporting and is refused.
	startWithin = time.Minute
	// answerWithin is longer than any upgrade can take until it is refused or completed: a minute of attempts to start,
	// startWithin, and ten seconds of silence. It covers answers lost by an older supervisor.
	answerWithin = 3 * time.Minute
)

// upgrading is the state of an upgrade, in the old and the new process.
type upgrading struct {
	couldGoOn atomic.Bool  // this process is ready to take over
	goesOn    atomic.Bool  // this process has taken over
	handing   atomic.Bool  // another process takes over from this one
	endBy     atomic.Int64 // deadline of this process, in ns since 1970
	relay     relay

	mu    sync.Mutex
	asked *asked // the upgrade in progress, or nil
}

// asked is an upgrade that a caller waits for.
type asked struct {
	outlive func()                        // keeps the caller's connection open until the games have moved; nil: it cannot wait
	answer  func(control.Upgraded, error) // called once, by answerTo
	endings []func()                      // stop the timers of this upgrade
}

// relay passes records to the current recorder.
type relay struct {
	to atomic.Pointer[storage.Recorder]
}

func (r *relay) Record(rec storage.Record) { r.to.Load().Record(rec) }

var errNoHolder = errors.New("this host has no supervisor; start it with w3host serve --supervise to be able to upgrade")

// upgrade asks the supervisor to start another program in place of this one; "" means the path of this one. Unless it
// returns an error, it calls answer once, later: when the games have moved to that program, when it is refused, or when
// it does not answer. A caller with a nil outlive is answered before the games move.
func (d *daemon) upgrade(path string, outlive func(), answer func(control.Upgraded, error)) error {
	if d.Supervisor == nil {
		return errNoHolder
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked != nil {
		return errors.New("an upgrade is already in progress")
	}
	if err := d.Supervisor.Upgrade(path); err != nil {
		return err
	}
	a := &asked{outlive: outlive, answer: answer}
	overdue := time.AfterFunc(answerWithin, func() {
		d.answerTo(a, control.Upgraded{}, fmt.Errorf("the supervisor has not answered for %v; see the log of w3host serve --supervise", answerWithin))
	})
	stops := context.AfterFunc(d.ctx, func() { d.answerTo(a, control.Upgraded{}, errStopping) })
	a.endings = []func(){func() { overdue.Stop() }, func() { stops() }}
	d.asked = a
	return nil
}

var errStopping = errors.New("the host is stopping")

// underWay returns the upgrade that a caller waits for, or nil.
func (d *daemon) underWay() *asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

// answerTo answers the caller of an upgrade unless it was answered before. All answers to upgrades go through it.
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

// handsOver stops this process so that the next one takes over. The caller of the upgrade is answered when the games have
// moved, or now if it cannot wait.
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

// answerMoved waits until the games have moved, answers the caller of the upgrade and returns when the answer is sent.
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

// hearHolder handles messages of the supervisor until it ends.
func (d *daemon) hearHolder() {
	for n := range d.Supervisor.News() {
		switch n.Verb {
		case hold.Refused:
			d.answerTo(d.underWay(), control.Upgraded{}, errors.New(n.Why))
		case hold.HandOver:
			d.handsOver()
		}
	}
	d.answerTo(d.underWay(), control.Upgraded{}, hold.ErrEnded)
}

// sayReady reports to the supervisor, until this standby process takes over, that it is starting or ready. It stops
// reporting if restoring a game hangs.
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
			d.Supervisor.Ready(d.couldGoOn.Load())
		}
	}
}

// standBy waits, in a process started by an upgrade, until the old process has ended everything except its games. Until
// then the new process changes nothing outside, not even the database schema.
func (d *daemon) standBy() error {
	if d.Supervisor == nil {
		return nil
	}
	left := d.host.Inherited
	if d.Supervisor.StandsBy() {
		if err := left.StandBy(d.ctx, sync.OnceFunc(func() {
			d.Log.Info().Msg("ready to take over from the running host")
			d.couldGoOn.Store(true)
			d.Supervisor.Ready(true)
		})); err != nil {
			return err
		}
		d.goesOn.Store(true)
		if d.Supervisor.IsStandby() {
			d.readAgain()
		}
	}
	left.Claim()
	go d.hearHolder() // ends with the supervisor
	return nil
}

// readAgain reloads the configuration when a standby takes over, since it may have changed since the standby started.
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
		d.Log.Error().Err(err).Msg("cannot load the changed configuration; using the one from the start of the standby")
	}
}

// handOver ends everything except the games. Games that the new process does not take over are played to their end here.
func (d *daemon) handOver(ctx context.Context) error {
	if err := d.end(false); err != nil {
		d.Log.Warn().Err(err).Msg("not everything could be shut down in time")
	}
	d.Console.Close()
	d.recordApart()
	d.running.HandOver(func() {
		if err := d.Supervisor.Done(); err != nil {
			d.Log.Error().Err(err).Msg("the supervisor has ended; no other process takes over the games")
		}
	})
	d.Log.Info().Msg("another process has taken over")
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

// recordApart releases the spool to the new process; later records of this one go to a separate spool.
func (d *daemon) recordApart() {
	main := d.recorder
	d.recorder = main.Detach()
	d.relay.to.Store(d.recorder)
	closeRecorder(main, time.Now().Add(recordsTimeout), d.Log)
}
