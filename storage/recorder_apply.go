package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"time"

	"w3host/internal/disk"
	"w3host/storage/spool"
)

const (
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
	// applyTimeout ends a transaction that hangs, for example if the database host has vanished from the
	// network. It is retried.
	applyTimeout = 60 * time.Second

	rejectedFile = "rejected.jsonl"
)

// applier moves records from the backlog to the database.
type applier struct {
	*Recorder
	run     string    // run of the last applied records
	last    uint64    // number of the last applied record
	asked   time.Time // when the last run of this host was last queried
	suspect HostRun   // last run, which may still be active
	fault   outage    // outage of the database
	unread  outage    // of the spool's disk, from which records must be read
	r       *rand.Rand
}

// newApplier seeds its pauses with the run, which is random.
func newApplier(r *Recorder) *applier {
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Host().Run))
	return &applier{Recorder: r, r: rand.New(rand.NewPCG(h.Sum64(), 0))}
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
			case <-time.After(pause/2 + time.Duration(a.r.Int64N(int64(pause)))): // random, so that hosts do not all retry at once
			}
			pause = min(2*pause, retryMost)
		}
	}
}

// rest waits for work. It returns false if none will come.
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

// step performs one step: it applies a batch, or registers the host once all records of earlier runs are
// stored.
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
		return false, a.load(s)
	}
	return false, a.drain(ctx, s, entries)
}

// enter registers this run. If an earlier run did not end regularly and has sent a heartbeat recently, it
// waits. Either that run crashed, or it is still running with a copy of this data folder; then its heartbeat
// advances. The status file may know of a regular end that the database missed during an outage or because it
// is a restored backup.
func (a *applier) enter(ctx context.Context) error {
	if time.Since(a.asked) < a.opts.Heartbeat/2 {
		return nil
	}
	a.asked = time.Now()
	last, err := a.db.LastRun(ctx, a.Host().ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		a.asked = time.Time{} // no answer: ask again in the next step
		return err
	}
	silent := last.Now.Sub(last.Heartbeat)
	switch {
	case err != nil, last.Run == a.Host().Run: // else the answer to an earlier attempt was lost
	case last.Stopped, a.before.Ended && a.before.Run == last.Run, silent >= 3*a.opts.Heartbeat:
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

// errUnreadable is returned while the disk does not give records back that are only there.
var errUnreadable = errors.New("records wait in a spool file that cannot be read")

// load reads a segment that is only in its file. Gaps in the numbers are records that the file has lost. A disk that fails
// to read is asked again later.
func (a *applier) load(s *segment) error {
	c, err := s.file.Read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(errUnreadable, err)
	}
	var entries []SequencedRecord
	after := a.last
	missing := uint64(0)
	for _, l := range c.Lines {
		if l.Seq <= a.last || l.Run != s.run {
			continue // already stored
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
		s.file.Damaged, s.file.Missing = c.Damaged, c.Missing // moves the file to the quarantine when it is removed
		a.queue.count(func(s *RecorderStats) { s.Damaged += uint64(c.Damaged) })
		a.log.Error().Err(err).Str("file", s.file.Path).Int("damaged", c.Damaged).Int("missing", c.Missing).
			Msg("a spool file was damaged while the host ran; its whole records are stored, and the file stays in the folder " + spool.Quarantine)
	}
	a.backlog.restore(s, entries)
	return nil
}

// drain applies records and removes them from the backlog. If the database refuses some, it halves the batch
// until the offending record is found.
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
			line, _ := encodeLine(s.run, entries[0]) // cannot fail: it was encoded before
			a.reject(line, err)
		}
		a.last = max(a.last, entries[try-1].Seq)
		a.backlog.done(s, try)
		entries = entries[try:]
		try *= 2
	}
	return nil
}

// reject writes a record that the database will never accept to rejected.jsonl. After a person has fixed it,
// `w3host db spool retry` stores it.
func (r *Recorder) reject(l spool.Line, why error) {
	r.queue.count(func(s *RecorderStats) { s.Lost.Rejected++ })
	aside := appendLine(r.opts.Disk, filepath.Join(r.opts.Dir, rejectedFile), rejectedLine(l, why))
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
	if errors.Is(err, errUnreadable) {
		if a.unread.shouldLog() {
			a.log.Error().Err(err).Msg("cannot read the spool; its records are stored when the disk gives them back")
		}
		return
	}
	a.queue.count(func(s *RecorderStats) { s.DBDown = true })
	if a.fault.shouldLog() {
		h := a.backlog.holds()
		a.log.Warn().Err(err).Int("waiting", h.records).Int64("spool_bytes", h.bytes).
			Msg("the database does not accept records: they wait in the spool")
	}
}

func (a *applier) up() {
	a.unread.ends()
	after, was, told := a.fault.ends()
	if was {
		a.queue.count(func(s *RecorderStats) { s.DBDown = false })
	}
	if told {
		a.log.Info().Dur("after", after).Msg("the database accepts records again")
	}
}

func appendLine(on disk.Disk, path string, line []byte) error {
	return disk.Append(on, path, append(line, '\n'), 0o600)
}
