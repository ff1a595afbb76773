package storage

import "time"

const (
	// housekeeping is the interval for checking conditions without events: a disk that was full, losses to
	// report, an idle file. The timer runs only while one of these is possible.
	housekeeping = 500 * time.Millisecond
	// faultReports is the minimum time between log messages about a persistent fault.
	faultReports = time.Minute
)

// RecorderStats counts records since the start.
type RecorderStats struct {
	Recorded  uint64 `json:"recorded"`    // accepted by the queue
	Applied   uint64 `json:"applied"`     // stored in the database, including replayed ones
	Waiting   int    `json:"waiting"`     // on their way to the database
	InMemory  int    `json:"in_memory"`   // those not yet in the spool
	SpoolSize int64  `json:"spool_bytes"` // size of the spool files
	Damaged   uint64 `json:"damaged"`     // damaged parts of the spool
	Lost      Losses `json:"lost"`
	SpoolDown bool   `json:"spool_down"`    // the last write to the spool failed
	DBDown    bool   `json:"database_down"` // the last write to the database failed
}

// Losses counts records that will never reach the database, by reason.
type Losses struct {
	QueueFull uint64 `json:"queue_full"` // the games were faster than the writer
	SpoolFull uint64 `json:"spool_full"` // the spool's disk failed while the database was unavailable
	Missing   uint64 `json:"missing"`    // lost by the spool: damaged or deleted
	Rejected  uint64 `json:"rejected"`   // refused by the database; kept in rejected.jsonl
	TooLong   uint64 `json:"too_long"`   // larger than any record may be
	Closed    uint64 `json:"closed"`     // recorded after Close
}

// Total returns the sum.
func (l Losses) Total() uint64 {
	return l.QueueFull + l.SpoolFull + l.Missing + l.Rejected + l.TooLong + l.Closed
}

// Stats returns the counters of the Recorder.
func (r *Recorder) Stats() RecorderStats {
	h := r.backlog.holds()
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	s, queued := r.queue.stats, len(r.queue.records)
	s.SpoolDown = s.SpoolDown || r.statusDown.Load()
	s.Waiting, s.InMemory, s.SpoolSize = queued+h.records, queued+h.memoryOnly, h.bytes
	return s
}

// outage tracks a persistent fault.
type outage struct{ since, logged time.Time }

// shouldLog records the fault and reports whether to log it now.
func (o *outage) shouldLog() bool {
	now := time.Now()
	if o.since.IsZero() {
		o.since = now
	}
	if now.Sub(o.logged) < faultReports {
		return false
	}
	o.logged = now
	return true
}

// ends ends the outage and reports whether there was one, and how long it lasted.
func (o *outage) ends() (after time.Duration, was bool) {
	after, was = time.Since(o.since), !o.since.IsZero()
	*o = outage{}
	return after, was
}

// write is the writer goroutine, which moves records from the queue to the spool.
func (r *Recorder) write() {
	defer close(r.syncWanted)
	defer r.backlog.finish()
	w := writer{Recorder: r, reported: time.Now()}
	for !w.wait() {
		w.flush()
		w.report(false)
	}
	w.retryAt = time.Time{}
	w.flush()
	w.report(true)
}

// writer is the state of the writer goroutine.
type writer struct {
	*Recorder
	line     []byte
	seq      uint64    // number of the last record
	flushed  time.Time // time of the last flush
	retryAt  time.Time // earliest time to write after a failure
	usedAt   time.Time // time of the last record
	fault    outage    // outage of the spool
	reported time.Time
	logged   Losses // losses already reported in the log
}

// wait blocks until there is work. It returns true before the last flush.
func (w *writer) wait() (stopping bool) {
	var tick <-chan time.Time
	if h := w.backlog.holds(); h.records > 0 || h.bytes > 0 || w.Stats().Lost != w.logged {
		tick = time.After(housekeeping)
	}
	select {
	case <-w.queue.wake:
	case <-tick:
		return false
	case <-w.stop:
		return true
	}
	// Collect for a moment, so that a busy host writes and syncs in groups.
	select {
	case <-time.After(time.Until(w.flushed.Add(flushAfter))):
		return false
	case <-w.stop:
		return true
	}
}

func (w *writer) flush() {
	w.flushed = time.Now()
	for _, rec := range w.queue.take() {
		w.usedAt = w.flushed
		e := SequencedRecord{w.seq + 1, rec}
		line, err := encodeLine(w.Host().Run, e)
		if err != nil {
			w.queue.count(func(s *RecorderStats) { s.Lost.TooLong++ })
			continue
		}
		// Only stored records get a number, so a gap means damage.
		w.line = line.Append(w.line[:0])
		if !w.backlog.add(w.Host().Run, e, w.line) {
			w.queue.count(func(s *RecorderStats) { s.Lost.SpoolFull++ })
			continue
		}
		w.seq++
	}
	w.writeOut()
	notify(w.backlog.wake)
}

// writeOut writes the lines that are not on disk yet, oldest first.
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
		w.retryAt = w.flushed.Add(housekeeping)
		w.queue.count(func(s *RecorderStats) { s.SpoolDown = true })
		if w.fault.shouldLog() {
			w.log.Error().Err(err).Str("dir", w.opts.Dir).
				Msg("cannot write to the spool: games go on, and records go straight to the database while it answers")
		}
	case wrote:
		if _, was := w.fault.ends(); was {
			w.queue.count(func(s *RecorderStats) { s.SpoolDown = false })
			w.log.Info().Str("dir", w.opts.Dir).Msg("the spool can be written again")
		}
	}
}

// report logs losses, at most once a minute.
func (w *writer) report(last bool) {
	now, lost := time.Now(), w.Stats().Lost
	if lost == w.logged || now.Sub(w.reported) < faultReports && w.logged.Total() > 0 && !last {
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

// sync is the syncer goroutine. It is separate so that a slow disk delays only the protection against a power
// cut, not that against a kill.
func (r *Recorder) sync() {
	defer close(r.spooled) // the writer has ended: it closes syncWanted
	var fault outage
	for range r.syncWanted {
		if err := r.backlog.sync(r.opts.sync); err != nil && fault.shouldLog() {
			r.log.Error().Err(err).Msg("cannot sync the spool to disk; its last records are written again")
		}
	}
}
