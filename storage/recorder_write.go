package storage

import (
	"sync/atomic"
	"time"

	"w3host/storage/spool"
)

// lossReports is how often, at most, the log says what was lost.
const lossReports = time.Minute

// counters are what RecorderStats is made of.
type counters struct {
	applied   atomic.Uint64
	rejected  atomic.Uint64
	diskFull  atomic.Uint64 // neither spool nor memory had room
	spoolDown atomic.Bool
	dbDown    atomic.Bool
}

// RecorderStats counts records since the start.
type RecorderStats struct {
	Recorded  uint64 // taken in
	Applied   uint64 // by the database, replayed ones included
	Waiting   int    // on their way to the database
	InMemory  int    // of these, not in the spool
	SpoolSize int64  // bytes of files
	Lost      Losses
	SpoolDown bool // the last write to the spool failed
	DBDown    bool // the last write to the database failed
}

// Losses counts records that will never be in the database, by reason.
type Losses struct {
	QueueFull uint64 // the games were faster than the writer
	SpoolFull uint64 // the spool's disk failed while the database was away
	Rejected  uint64 // the database refused them; kept in rejected.jsonl
	TooLong   uint64 // larger than any record may be
	Closed    uint64 // recorded after Close
}

// Total adds them up.
func (l Losses) Total() uint64 {
	return l.QueueFull + l.SpoolFull + l.Rejected + l.TooLong + l.Closed
}

// Stats tells how the Recorder fares.
func (r *Recorder) Stats() RecorderStats {
	q := r.queue
	q.mu.Lock()
	s := RecorderStats{Recorded: q.seq, InMemory: q.records, Waiting: q.records}
	s.Lost = Losses{QueueFull: q.tooMany, TooLong: q.tooLong, Closed: q.tooLate}
	q.mu.Unlock()
	waiting, memoryOnly, _, _ := r.backlog.holds(r.run)
	s.Waiting += waiting
	s.InMemory += memoryOnly
	s.Applied = r.counts.applied.Load()
	s.Lost.SpoolFull = r.counts.diskFull.Load()
	s.Lost.Rejected = r.counts.rejected.Load()
	s.SpoolDown = r.counts.spoolDown.Load()
	s.DBDown = r.counts.dbDown.Load()
	s.SpoolSize = r.spool.Size()
	return s
}

// write is the writer: it carries records from the queue to the spool.
func (r *Recorder) write() {
	defer close(r.writerDone)
	defer close(r.syncWanted)
	defer r.backlog.finish()
	w := writer{Recorder: r, reported: time.Now()}
	for !w.wait() {
		w.flush()
		w.keepHouse()
	}
	w.retryAt = time.Time{}
	w.flush()
	w.report(time.Now(), true)
}

// writer holds what only the writing goroutine knows.
type writer struct {
	*Recorder
	flushed   time.Time // last
	retryAt   time.Time // no write before it after a failed one
	usedAt    time.Time // last record
	reported  time.Time
	told      Losses // what the log has said
	toldFault time.Time
}

// wait returns when there is something to do: true when it is the last time.
func (w *writer) wait() (stopping bool) {
	var rest <-chan time.Time
	if w.restless() {
		timer := time.NewTimer(housekeeping)
		defer timer.Stop()
		rest = timer.C
	}
	select {
	case <-w.queue.wake:
	case <-rest:
		return false
	case <-w.stop:
		return true
	}
	// Collect for a moment, so that a busy host writes and syncs in groups.
	if d := time.Until(w.flushed.Add(w.opts.Flush)); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-w.stop:
			return true
		}
	}
	return false
}

// restless says whether something without an event of its own is to be done.
func (w *writer) restless() bool {
	waiting, _, _, _ := w.backlog.holds(w.run)
	return waiting > 0 || w.spool.Size() > 0 || w.Stats().Lost != w.told
}

func (w *writer) flush() {
	w.flushed = time.Now()
	for _, c := range w.queue.take() {
		w.usedAt = w.flushed
		spool.Seal(c.frames)
		n := int(c.last - c.first + 1)
		p := pending{run: w.run, first: c.first, last: c.last, records: n, bytes: int64(len(c.frames)), frames: c.frames}
		if !w.backlog.add(p) {
			w.counts.diskFull.Add(uint64(n))
		}
	}
	w.writeOut()
	w.backlog.rouse()
}

// writeOut puts on disk what is not there yet, oldest first.
func (w *writer) writeOut() {
	if w.syncFailed.CompareAndSwap(true, false) {
		w.spool.Abandon()
		for _, lost := range w.backlog.unsynced(w.run) {
			_ = w.spool.Release(lost) // a file that stays is skipped by its numbers
		}
		w.retryAt = w.flushed.Add(housekeeping)
	}
	if w.flushed.Before(w.retryAt) {
		return
	}
	for wrote := false; ; wrote = true {
		p, ok := w.backlog.unwritten()
		if !ok {
			if wrote {
				w.spoolWorks()
				w.wantSync()
			}
			return
		}
		at, err := w.spool.Append(p.frames, p.first, p.last, p.records)
		if err != nil {
			w.spoolFails(err)
			return
		}
		if !w.backlog.written(p, at) {
			_ = w.spool.Release(at)
		}
	}
}

func (w *writer) spoolFails(err error) {
	w.retryAt = w.flushed.Add(housekeeping)
	w.counts.spoolDown.Store(true)
	if w.flushed.Sub(w.toldFault) >= lossReports {
		w.toldFault = w.flushed
		w.log.Error().Err(err).Str("dir", w.opts.Dir).
			Msg("the spool can't be written: games go on, records go straight to the database as long as it answers")
	}
}

func (w *writer) spoolWorks() {
	if w.counts.spoolDown.CompareAndSwap(true, false) {
		w.toldFault = time.Time{}
		w.log.Info().Str("dir", w.opts.Dir).Msg("the spool can be written again")
	}
}

func (r *Recorder) wantSync() {
	select {
	case r.syncWanted <- struct{}{}:
	default: // one is asked for already
	}
}

func (w *writer) keepHouse() {
	now := time.Now()
	if now.Sub(w.usedAt) > 2*time.Second {
		if err := w.spool.Trim(); err != nil {
			w.log.Warn().Err(err).Msg("the empty spool was not tidied up")
		}
	}
	w.report(now, false)
}

// report says what is being lost, at most once a minute.
func (w *writer) report(now time.Time, last bool) {
	lost := w.Stats().Lost
	if lost == w.told || now.Sub(w.reported) < lossReports && w.told.Total() > 0 && !last {
		return
	}
	w.log.Error().
		Uint64("lost", lost.Total()-w.told.Total()).
		Uint64("queue_full", lost.QueueFull-w.told.QueueFull).
		Uint64("spool_full", lost.SpoolFull-w.told.SpoolFull).
		Uint64("rejected", lost.Rejected-w.told.Rejected).
		Uint64("too_long", lost.TooLong-w.told.TooLong).
		Uint64("closed", lost.Closed-w.told.Closed).
		Msg("game records are lost")
	w.told, w.reported = lost, now
}

// sync is the syncer. It is apart from the writer, so that a slow disk delays
// only what a power cut would take, not what kill -9 would.
func (r *Recorder) sync() {
	defer close(r.syncerDone)
	var told time.Time
	for range r.syncWanted {
		last := r.backlog.onDisk()
		if err := r.opts.sync(r.spool); err != nil {
			if now := time.Now(); now.Sub(told) >= lossReports {
				told = now
				r.log.Error().Err(err).Msg("the spool's disk failed to keep what was written; it is written again")
			}
			r.syncFailed.Store(true)
			continue
		}
		r.backlog.syncedTo(r.run, last)
	}
}
