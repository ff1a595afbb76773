package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"w3host/storage/spool"
)

const (
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
	// applyTimeout ends a transaction that hangs, say on a host that has
	// vanished from the network; it is tried again.
	applyTimeout = 60 * time.Second

	rejectedFile = "rejected.jsonl"
)

// applier carries records from the backlog to the database.
type applier struct {
	*Recorder
	run     string    // of the records that were applied last
	last    uint64    // of them
	asked   time.Time // after the last run of this host
	suspect HostRun   // the last run, which may still go on
	fault   outage    // of the database
}

func (a *applier) apply(ctx context.Context) {
	pause := retryFirst
	for ctx.Err() == nil {
		idle, err := a.step(ctx)
		switch {
		case err == nil:
			a.up()
			pause = retryFirst
			if idle && !a.rest(ctx) {
				return
			}
		case ctx.Err() == nil:
			a.down(err)
			select {
			case <-ctx.Done():
			case <-time.After(pause/2 + rand.N(pause)): // hosts do not all come back at one instant
			}
			pause = min(2*pause, retryMost)
		}
	}
}

// rest waits for work; false when there will be none.
func (a *applier) rest(ctx context.Context) bool {
	if h := a.backlog.holds(); h.records > 0 || h.finished {
		return h.records > 0
	}
	select {
	case <-a.backlog.wake:
		return true
	case <-ctx.Done():
		return false
	}
}

// step does one thing: it applies a batch, or enters the registry once all
// records of earlier runs are in.
func (a *applier) step(ctx context.Context) (idle bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, applyTimeout)
	defer cancel()
	s := a.backlog.front()
	if !a.entered.Load() && (s == nil || s.run == a.Host().Run) {
		if err := a.enter(ctx); err != nil {
			return false, err
		}
	}
	if s == nil {
		return true, nil
	}
	if s.run != a.run {
		if a.last, err = a.db.Applied(ctx, s.run); err != nil {
			return false, err
		}
		a.run = s.run
	}
	entries := a.backlog.take(s)
	if len(entries) == 0 {
		a.load(s)
		return false, nil
	}
	return false, a.drain(ctx, s, entries)
}

// enter registers this run of the host. It waits while an earlier run without
// an orderly end has sent a heartbeat a moment ago: either that run crashed, or it still
// runs and one data folder is a copy of the other. Then its heartbeat advances. The
// folder may know of an orderly end that the database does not: it was away, or is a
// restored backup.
func (a *applier) enter(ctx context.Context) error {
	if time.Since(a.asked) < a.opts.Heartbeat/2 {
		return nil
	}
	a.asked = time.Now()
	last, err := a.db.LastRun(ctx, a.Host().ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		a.asked = time.Time{} // no answer: the next step asks again
		return err
	}
	silent := last.Now.Sub(last.Heartbeat)
	switch {
	case err != nil, last.Stopped, a.before.Ended && a.before.Run == last.Run, silent >= 3*a.opts.Heartbeat:
	case a.suspect.Heartbeat.IsZero():
		a.suspect = last
		a.log.Info().Dur("silent", silent).Msg("the last run of this host did not shut down cleanly; checking whether it is still running")
		return nil
	case a.suspect.Run != last.Run, !a.suspect.Heartbeat.Equal(last.Heartbeat):
		return a.renew(ctx)
	default:
		return nil
	}
	games, err := a.db.EnterHost(ctx, a.Host())
	if err != nil {
		a.asked = time.Time{}
		return err
	}
	a.entered.Store(true)
	if games > 0 {
		a.log.Warn().Int("games", games).Msg("games that were running when the host died are closed as crashed")
	}
	return nil
}

// load reads a segment that is in its file alone. The gaps between the numbers count
// the records that the file has lost.
func (a *applier) load(s *segment) {
	c, err := s.file.Read()
	var entries []SequencedRecord
	after := a.last
	missing := uint64(0)
	for _, l := range c.Lines {
		if l.Seq <= a.last || l.Run != s.run {
			continue // the database has it
		}
		missing += l.Seq - a.last - 1
		a.last = l.Seq
		rec, err := decodeLine(l)
		if err != nil {
			a.reject(l, err)
			continue
		}
		entries = append(entries, SequencedRecord{Seq: l.Seq, Record: rec})
	}
	if s.last > a.last {
		missing += s.last - a.last
		a.last = s.last
	}
	if missing > 0 {
		a.queue.count(func(s *RecorderStats) { s.Lost.Missing += missing })
		a.log.Error().Uint64("records", missing).Uint64("after", after).Str("file", s.file.Path).Msg("records are missing from the spool")
	}
	if damage := c.Damaged + c.Missing; err != nil || damage > s.file.Damaged+s.file.Missing {
		s.file.Damaged, s.file.Missing = c.Damaged, c.Missing // it goes to the quarantine
		a.queue.count(func(s *RecorderStats) { s.Damaged += uint64(c.Damaged) })
		a.log.Error().Err(err).Str("file", s.file.Path).Int("damaged", c.Damaged).Int("missing", c.Missing).
			Msg("a spool file was damaged while the host ran; its whole records are stored, and the file stays in the folder " + spool.Quarantine)
	}
	a.backlog.restore(s, entries)
}

// drain applies records and takes them from the backlog. When the database
// refuses something, the part that is tried is halved until the culprit stands
// alone.
func (a *applier) drain(ctx context.Context, s *segment, entries []SequencedRecord) error {
	for try := len(entries); len(entries) > 0; {
		try = min(try, len(entries))
		switch err := a.db.Apply(ctx, Batch{HostID: a.Host().ID, Run: s.run, Records: entries[:try]}); {
		case err == nil:
			a.queue.count(func(s *RecorderStats) { s.Applied += uint64(try) })
		case !errors.Is(err, ErrRejected):
			return err
		case try > 1:
			try /= 2
			continue
		default:
			line, _ := encodeLine(s.run, entries[0]) // it went well before
			a.reject(line, err)
		}
		a.last = max(a.last, entries[try-1].Seq)
		a.backlog.done(s, try)
		entries = entries[try:]
		try *= 2
	}
	return nil
}

// reject writes a record that the database will never take to rejected.jsonl, from
// where w3host spool retry reads it when a person has mended it.
func (r *Recorder) reject(l spool.Line, why error) {
	r.queue.count(func(s *RecorderStats) { s.Lost.Rejected++ })
	aside := appendLine(filepath.Join(r.opts.Dir, rejectedFile), rejectedLine(l, why))
	r.log.Error().Err(why).AnErr("aside", aside).Uint64("seq", l.Seq).Str("record", l.Type).
		Msg("the database refuses a record; it is put aside in " + rejectedFile)
}

func rejectedLine(l spool.Line, why error) []byte {
	if !json.Valid(l.Record) {
		l.Record = jsonText(string(l.Record))
	}
	return fmt.Appendf(nil, `{"crc":"%s","run":%s,"seq":%d,"type":%s,"record":%s,"at":%s,"why":%s}`,
		spool.Edited, jsonText(l.Run), l.Seq, jsonText(l.Type), l.Record, jsonText(time.Now().UTC()), jsonText(why.Error()))
}

func (a *applier) down(err error) {
	a.queue.count(func(s *RecorderStats) { s.DBDown = true })
	if a.fault.goesOn() {
		h := a.backlog.holds()
		a.log.Warn().Err(err).Int("waiting", h.records).Int64("spool_bytes", h.bytes).
			Msg("the database does not accept records: they wait in the spool")
	}
}

func (a *applier) up() {
	if after, was := a.fault.ends(); was {
		a.queue.count(func(s *RecorderStats) { s.DBDown = false })
		a.log.Info().Dur("after", after).Msg("the database accepts records again")
	}
}

func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
