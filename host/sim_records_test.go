//go:build linux

package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/host/takeover"
	"w3host/internal/heartbeat"
	"w3host/record/recording"
	"w3host/storage"
)

// The folders of the simulated host, and what package daemon gives its parts to end.
const (
	simShutdown = 10 * time.Second
	simSpool    = "/data/spool"
	simReplays  = "/data/replays"
	simJournals = "/data/journals"

	simRecordsTimeout = 500 * time.Millisecond
	simReplaysTimeout = 300 * time.Millisecond
)

// simRecords is what one process has beside its games: the game log and the replays. It begins and ends them as
// package daemon does.
type simRecords struct {
	w       *simWorld
	p       *simProc
	log     zerolog.Logger
	heart   heartbeat.Heart
	to      atomic.Pointer[storage.Recorder]
	main    *storage.Recorder
	replays *recording.Archive
	once    sync.Once // closes replays
	endBy   atomic.Int64
	unclean bool // something could not be ended in time
}

// openRecords opens the game log and the replays of a process.
func (w *simWorld) openRecords(ctx context.Context, p *simProc, left *takeover.Inheritance) (err error) {
	r := &simRecords{w: w, p: p, log: w.logger(p)}
	within := time.Duration(0)
	if p.supervisor.standsBy {
		within = time.Minute
	}
	r.main, err = storage.AwaitRecorder(ctx, &simConnection{w.database, p}, storage.RecorderOptions{
		Heart: &r.heart, Dir: simSpool, Name: "host", GoOn: left.Keys(), Log: r.log, Disk: p.disk,
	}, within)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, r.endSoon)
	p.records = r
	r.to.Store(r.main)
	r.main.Listens(w.addr.String())
	written, _ := left.Files()
	r.replays, err = recording.Open(recording.Options{Dir: simReplays, Name: "{id}", GoOn: written, Heart: &r.heart, Log: r.log, Disk: p.disk})
	return err
}

// Record implements Recorder.
func (r *simRecords) Record(rec storage.Record) {
	if r.p.net.Dead() {
		return
	}
	r.w.finished(r.p, rec)
	r.to.Load().Record(rec)
}

// endSoon is daemon.endSoon.
func (r *simRecords) endSoon() {
	r.endBy.Store(time.Now().Add(r.p.options.Limits.Shutdown + simRecordsTimeout).UnixNano())
}

// recordApart is daemon.recordApart.
func (r *simRecords) recordApart() {
	r.to.Store(r.main.Detach())
	r.closeRecorder(r.main, time.Now().Add(simRecordsTimeout))
}

// end ends the replays and the game log in order.
func (r *simRecords) end() {
	spare := time.Duration(0)
	if r.p.handing.Load() {
		spare = time.Until(time.Unix(0, r.endBy.Load())) - simRecordsTimeout
	}
	r.closeReplays(max(simReplaysTimeout, spare))
	r.closeRecorder(r.to.Load(), time.Unix(0, r.endBy.Load()))
}

func (r *simRecords) closeReplays(within time.Duration) {
	r.once.Do(func() {
		if err := r.replays.Close(within); err != nil {
			r.unclean = true
			r.log.Warn().Err(err).Msg("some replays are incomplete")
		}
	})
}

// closeRecorder is daemon.closeRecorder.
func (r *simRecords) closeRecorder(rec *storage.Recorder, deadline time.Time) {
	if least := time.Now().Add(300 * time.Millisecond); deadline.Before(least) {
		deadline = least
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	if err := rec.Close(ctx); err != nil {
		r.unclean = true
		r.log.Warn().Err(err).Msg("some records are not in the database yet; they remain in the spool")
	}
}

// die has the goroutines of a dead process end. They reach neither disk nor database any more.
func (r *simRecords) die() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.closeReplays(0)
	for _, rec := range []*storage.Recorder{r.main, r.to.Load()} {
		_ = rec.Close(ctx)
	}
}

// simFinished is the end of a game as its process has recorded it.
type simFinished struct {
	end    storage.GameEnded
	at     time.Time
	p      *simProc
	unsafe bool // it may have been lost with the process, which could reach neither disk nor database
}

// finished takes note of a record on its way to the game log.
func (w *simWorld) finished(p *simProc, rec storage.Record) {
	if n, ok := rec.(storage.KeyedRecord); ok {
		rec = n.Record
	}
	w.endsMu.Lock()
	defer w.endsMu.Unlock()
	if created, ok := rec.(storage.GameCreated); ok {
		w.keys[created.GameID] = created.Game
	}
	if end, ok := rec.(storage.GameEnded); ok {
		w.ends[end.Game] = append(w.ends[end.Game], &simFinished{end: end, at: time.Now(), p: p})
	}
}

// safeAfter is when a record has reached the spool or the database.
const safeAfter = 150 * time.Millisecond

// lose finds what a death may have taken: the ends that were recorded a moment ago; all that wait, while neither the
// disk nor the database works.
func (w *simWorld) lose(p *simProc) {
	if p.records == nil {
		return
	}
	blocked := !w.diskIsHealthy() && !w.database.isHealthy()
	w.endsMu.Lock()
	defer w.endsMu.Unlock()
	for _, list := range w.ends {
		for _, f := range list {
			f.unsafe = f.unsafe || f.p == p && (blocked || time.Since(f.at) < safeAfter)
		}
	}
	if blocked {
		w.unsafe = true
	}
}

// checkLog looks at the game log at the end: each game is in it once, with the end that its process has recorded.
func (w *simWorld) checkLog() {
	for key, l := range w.database.games {
		if n := len(l.ended); n > 1 || n == 0 && !l.crashed || !l.created && !w.unsafe || l.started > 1 {
			w.fault("game %d: in the log as opened %v, %d times started, crashed %v, ended as %+v", l.id, l.created, l.started, l.crashed, l.ended)
		}
		for _, f := range w.ends[key] {
			if len(l.ended) == 0 && !f.unsafe {
				w.fault("game %d has ended after %v as %q, and the log does not know it", l.id, f.at.Sub(w.began), f.end.How)
			}
		}
	}
	for key, list := range w.ends {
		if w.database.games[key] == nil && !list[0].unsafe {
			w.fault("game %v has ended as %q, and is not in the log", key, list[0].end.How)
		}
	}
}

// logger returns the logger of a process. It is silent from its death on.
func (w *simWorld) logger(p *simProc) zerolog.Logger {
	return zerolog.New(simVoice{w, p}).Level(zerolog.InfoLevel).With().Str("process", p.name).Logger()
}

type simVoice struct {
	w *simWorld
	p *simProc
}

func (v simVoice) Write(b []byte) (int, error) {
	if v.p.net.Dead() {
		return len(b), nil
	}
	v.w.reported(v.p, b)
	return v.w.log.Write(b)
}

// nextStart starts the recording parts once more at the end, on a disk and database that work, and ends them when all that
// was left is stored. Nothing may be left then but finished files.
func (w *simWorld) nextStart() {
	w.setDisk("")
	w.database.set(databaseAnswers)
	p := w.holder.process("next start", false)
	p.disk = w.disk.Process(len(w.procs) + 1)
	ctx, cancel := context.WithCancel(context.Background())
	p.options.Limits.Shutdown = time.Minute
	if err := w.openRecords(ctx, p, &takeover.Inheritance{}); err != nil {
		w.fault("the next start cannot open its records: %v", err)
		cancel()
		return
	}
	journals := w.openJournals(p)
	time.Sleep(time.Minute)
	if s := p.records.main.Stats(); s.Waiting > 0 || s.Lost.Total() > 0 || s.Damaged > 0 {
		w.fault("the next start has %+v", s)
	}
	cancel()
	time.Sleep(time.Millisecond)
	p.records.end()
	journals.Close(context.Background())
	if n := p.disk.Open(); n > 0 || p.records.unclean {
		w.fault("the next start leaves %d files open; an end in time: %v", n, !p.records.unclean)
	}
	p.kill()
}

// attach gives a process its view of the disk, and places where it can die.
func (w *simWorld) attach(p *simProc) {
	p.disk = w.disk.Process(len(w.procs))
	p.died = func() { w.n.After(0, func() { w.died(p) }) }
	p.net.Step = func() bool {
		dies := p.step()
		if dies {
			p.disk.Kill()
		}
		return dies
	}
	p.disk.Step = func() bool {
		dies := p.step()
		if dies {
			p.net.Kill()
		}
		return dies
	}
}

// step is a place where the process can die.
func (p *simProc) step() bool {
	if p.building.Load() || p.steps.Load() <= 0 || p.steps.Add(-1) != 0 {
		return false
	}
	p.died()
	return true
}

// kill ends the process: it reaches nothing any more.
func (p *simProc) kill() {
	p.net.Kill()
	if p.disk != nil {
		p.disk.Kill()
	}
}
