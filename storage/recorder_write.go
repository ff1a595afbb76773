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

// outage tracks a fault that may come and go. It is logged once a minute at most.
type outage struct {
	since, logged time.Time
	told          bool // the present outage was logged
}

// shouldLog records the fault and reports whether to log it now.
func (o *outage) shouldLog() bool {
	now := time.Now()
	if o.since.IsZero() {
		o.since = now
	}
	if now.Sub(o.logged) < faultReports {
		return false
	}
	o.logged, o.told = now, true
	return true
}

// ends ends the outage and reports whether there was one, how long it lasted, and whether it was logged.
func (o *outage) ends() (after time.Duration, was, told bool) {
	after, was, told = time.Since(o.since), !o.since.IsZero(), o.told
	o.since, o.told = time.Time{}, false
	return after, was, told
}

// collect is the collector goroutine, which moves records from the queue to the backlog. It waits neither for the
// disk nor for the database.
func (r *Recorder) collect() {
	defer close(r.collected)
	defer r.backlog.finish()
	c := collector{Recorder: r, reported: time.Now()}
	for !c.wait() {
		c.flush()
		c.report(false)
	}
	c.flush()
	c.report(true)
}

// collector is the state of the collector goroutine.
type collector struct {
	*Recorder
	line     []byte
	seq      uint64    // number of the last record
	flushed  time.Time // time of the last flush
	reported time.Time
	logged   Losses // losses already reported in the log
}

// wait blocks until there is work. It returns true before the last flush.
func (c *collector) wait() (stopping bool) {
	var tick <-chan time.Time
	if c.Stats().Lost != c.logged {
		tick = time.After(housekeeping)
	}
	select {
	case <-c.queue.wake:
	case <-tick:
		return false
	case <-c.stop:
		return true
	}
	// Collect for a moment, so that a busy host writes and syncs in groups.
	select {
	case <-time.After(time.Until(c.flushed.Add(flushAfter))):
		return false
	case <-c.stop:
		return true
	}
}

func (c *collector) flush() {
	c.flushed = time.Now()
	records := c.queue.take()
	for _, rec := range records {
		e := SequencedRecord{c.seq + 1, rec}
		line, err := encodeLine(c.Host().Run, e)
		if err != nil {
			c.queue.count(func(s *RecorderStats) { s.Lost.TooLong++ })
			continue
		}
		// Only stored records get a number, so a gap means damage.
		c.line = line.Append(c.line[:0])
		if !c.backlog.add(c.Host().Run, e, c.line) {
			c.queue.count(func(s *RecorderStats) { s.Lost.SpoolFull++ })
			continue
		}
		c.seq++
	}
	if len(records) > 0 {
		notify(c.writeWanted)
		notify(c.backlog.wake)
	}
}

// write is the writer goroutine, which writes the backlog to the spool, and the status.
func (r *Recorder) write() {
	defer close(r.syncWanted)
	w := writer{Recorder: r}
	r.spool.RemoveTemporary()
	w.writeOut(false) // removes what an earlier run has left without records
	for !w.wait() {
		w.writeOut(false)
	}
	w.writeOut(true)
}

// writer is the state of the writer goroutine.
type writer struct {
	*Recorder
	retryAt time.Time // earliest time to write after a failure
	usedAt  time.Time // time of the last write
	fault   outage    // outage of the spool
}

// wait blocks until there is work. It returns true before the last write.
func (w *writer) wait() (stopping bool) {
	var tick <-chan time.Time
	if h := w.backlog.holds(); h.records > 0 || h.bytes > 0 {
		tick = time.After(housekeeping)
	}
	select {
	case <-w.writeWanted:
	case <-w.statusWanted:
		w.writeStatus()
	case <-tick:
	case <-w.collected:
		return true
	}
	return false
}

// writeOut writes the lines that are not on disk yet, oldest first. After a failure it does nothing for a moment, unless
// this is the last call.
func (w *writer) writeOut(last bool) {
	now := time.Now()
	if now.Before(w.retryAt) && !last {
		return
	}
	wrote, err := w.backlog.write(w.spool)
	if wrote {
		w.usedAt = now
		notify(w.syncWanted)
	}
	if err == nil {
		err = w.backlog.sweep(now.Sub(w.usedAt) > 2*time.Second)
	}
	switch {
	case err != nil:
		w.retryAt = now.Add(housekeeping)
		w.queue.count(func(s *RecorderStats) { s.SpoolDown = true })
		if w.fault.shouldLog() {
			w.log.Error().Err(err).Str("dir", w.opts.Dir).
				Msg("cannot write to the spool: games go on, and records go straight to the database while it answers")
		}
	case wrote:
		after, was, told := w.fault.ends()
		if was {
			w.queue.count(func(s *RecorderStats) { s.SpoolDown = false })
		}
		if told {
			w.log.Info().Str("dir", w.opts.Dir).Dur("after", after).Msg("the spool can be written again")
		}
	}
}

// report logs losses, at most once a minute.
func (c *collector) report(last bool) {
	now, lost := time.Now(), c.Stats().Lost
	if lost == c.logged || now.Sub(c.reported) < faultReports && c.logged.Total() > 0 && !last {
		return
	}
	c.log.Error().
		Uint64("lost", lost.Total()-c.logged.Total()).
		Uint64("queue_full", lost.QueueFull-c.logged.QueueFull).
		Uint64("spool_full", lost.SpoolFull-c.logged.SpoolFull).
		Uint64("missing", lost.Missing-c.logged.Missing).
		Uint64("rejected", lost.Rejected-c.logged.Rejected).
		Uint64("too_long", lost.TooLong-c.logged.TooLong).
		Uint64("closed", lost.Closed-c.logged.Closed).
		Msg("game records are lost")
	c.logged, c.reported = lost, now
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
