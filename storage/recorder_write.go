package storage

import (
	"sync/atomic"
	"time"
)

// lossReports is how often, at most, the log says what was lost.
const lossReports = time.Minute

// counters are what RecorderStats is made of.
type counters struct {
	applied   atomic.Uint64
	rejected  atomic.Uint64
	missing   atomic.Uint64
	damaged   atomic.Uint64
	tooLong   atomic.Uint64
	diskFull  atomic.Uint64 // neither spool nor memory had room
	spoolDown atomic.Bool
	dbDown    atomic.Bool
}

// RecorderStats counts records since the start.
type RecorderStats struct {
	Recorded  uint64 `json:"recorded"`    // accepted by the queue
	Applied   uint64 `json:"applied"`     // by the database, replayed ones included
	Waiting   int    `json:"waiting"`     // on their way to the database
	InMemory  int    `json:"in_memory"`   // of these, not in the spool
	SpoolSize int64  `json:"spool_bytes"` // of files
	Damaged   uint64 `json:"damaged"`     // stretches of the spool that were no whole record
	Lost      Losses `json:"lost"`
	SpoolDown bool   `json:"spool_down"`    // the last write to the spool failed
	DBDown    bool   `json:"database_down"` // the last write to the database failed
}

// Losses counts records that will never be in the database, by reason.
type Losses struct {
	QueueFull uint64 `json:"queue_full"` // the games were faster than the writer
	SpoolFull uint64 `json:"spool_full"` // the spool's disk failed while the database was away
	Missing   uint64 `json:"missing"`    // the spool lost them: damaged or deleted
	Rejected  uint64 `json:"rejected"`   // the database refused them; kept in rejected.jsonl
	TooLong   uint64 `json:"too_long"`   // larger than any record may be
	Closed    uint64 `json:"closed"`     // recorded after Close
}

// Total adds them up.
func (l Losses) Total() uint64 {
	return l.QueueFull + l.SpoolFull + l.Missing + l.Rejected + l.TooLong + l.Closed
}

// Stats returns the counters of the Recorder.
func (r *Recorder) Stats() RecorderStats {
	q, c, h := r.queue, &r.counts, r.backlog.holds(r.run)
	q.mu.Lock()
	queued := len(q.records)
	s := RecorderStats{
		Recorded: q.taken, Waiting: queued + h.records, InMemory: queued + h.memoryOnly, SpoolSize: h.bytes,
		Applied: c.applied.Load(), Damaged: c.damaged.Load(), SpoolDown: c.spoolDown.Load(), DBDown: c.dbDown.Load(),
		Lost: Losses{QueueFull: q.tooMany, Closed: q.tooLate},
	}
	q.mu.Unlock()
	s.Lost.SpoolFull, s.Lost.Missing = c.diskFull.Load(), c.missing.Load()
	s.Lost.Rejected, s.Lost.TooLong = c.rejected.Load(), c.tooLong.Load()
	return s
}

// write is the writer: it carries records from the queue to the spool.
func (r *Recorder) write() {
	defer close(r.writerDone)
	defer close(r.syncWanted)
	defer r.backlog.finish()
	w := writer{Recorder: r, encoder: encoder{run: r.run}, reported: time.Now()}
	for !w.wait() {
		w.flush()
		w.report(w.flushed, false)
	}
	w.retryAt = time.Time{}
	w.flush()
	w.report(time.Now(), true)
}

// writer holds what only the writing goroutine knows.
type writer struct {
	*Recorder
	encoder  encoder
	line     []byte
	seq      uint64    // of the last record
	flushed  time.Time // last
	retryAt  time.Time // no write before it after a failed one
	usedAt   time.Time // last record
	reported time.Time
	logged   Losses    // what the log has said
	faultAt  time.Time // when it last said that the spool fails
}

// wait returns when there is something to do: true when it is the last time.
func (w *writer) wait() (stopping bool) {
	var tick <-chan time.Time
	if w.needsTimer() {
		timer := time.NewTimer(housekeeping)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-w.queue.wake:
	case <-tick:
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

// needsTimer reports whether there is work that has no event of its own.
func (w *writer) needsTimer() bool {
	h := w.backlog.holds(w.run)
	return h.records > 0 || h.bytes > 0 || w.Stats().Lost != w.logged
}

func (w *writer) flush() {
	w.flushed = time.Now()
	for _, rec := range w.queue.take() {
		w.usedAt = w.flushed
		var err error
		if w.line, err = w.encoder.append(w.line[:0], w.seq+1, rec); err != nil {
			w.counts.tooLong.Add(1)
			continue
		}
		// Numbers are given to what stays only: so a gap is damage.
		if !w.backlog.add(w.run, Entry{w.seq + 1, rec}, w.line) {
			w.counts.diskFull.Add(1)
			continue
		}
		w.seq++
	}
	w.writeOut()
	notify(w.backlog.wake)
}

// writeOut puts on disk what is not there yet, oldest first.
func (w *writer) writeOut() {
	if w.flushed.Before(w.retryAt) {
		return
	}
	wrote, err := w.backlog.write(w.spool)
	if err == nil {
		err = w.backlog.sweep(w.flushed.Sub(w.usedAt) > 2*time.Second)
	}
	if wrote {
		notify(w.syncWanted)
	}
	switch {
	case err != nil:
		w.spoolFails(err)
	case wrote:
		w.spoolWorks()
	}
}

func (w *writer) spoolFails(err error) {
	w.retryAt = w.flushed.Add(housekeeping)
	w.counts.spoolDown.Store(true)
	if w.flushed.Sub(w.faultAt) >= lossReports {
		w.faultAt = w.flushed
		w.log.Error().Err(err).Str("dir", w.opts.Dir).
			Msg("the spool can't be written: games go on, records go straight to the database as long as it answers")
	}
}

func (w *writer) spoolWorks() {
	if w.counts.spoolDown.CompareAndSwap(true, false) {
		w.faultAt = time.Time{}
		w.log.Info().Str("dir", w.opts.Dir).Msg("the spool can be written again")
	}
}

// report says what is being lost, at most once a minute.
func (w *writer) report(now time.Time, last bool) {
	lost := w.Stats().Lost
	if lost == w.logged || now.Sub(w.reported) < lossReports && w.logged.Total() > 0 && !last {
		return
	}
	w.log.Error().
		Uint64("lost", lost.Total()-w.logged.Total()).
		Uint64("queue_full", lost.QueueFull-w.logged.QueueFull).
		Uint64("spool_full", lost.SpoolFull-w.logged.SpoolFull).
		Uint64("missing", lost.Missing-w.logged.Missing).
		Uint64("rejected", lost.Rejected-w.logged.Rejected).
		Uint64("too_long", lost.TooLong-w.logged.TooLong).
		Uint64("closed", lost.Closed-w.logged.Closed).
		Msg("game records are lost")
	w.logged, w.reported = lost, now
}

// sync is the syncer. It is apart from the writer, so that a slow disk delays
// only what a power cut would take, not what kill -9 would.
func (r *Recorder) sync() {
	defer close(r.syncerDone)
	var told time.Time
	for range r.syncWanted {
		err := r.backlog.sync(r.opts.sync)
		if now := time.Now(); err != nil && now.Sub(told) >= lossReports {
			told = now
			r.log.Error().Err(err).Msg("the spool's disk failed to keep what was written; it is written again")
		}
	}
}
