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
	db interface {
		GameLog
		HostRegistry
	}
	batch     *Batch // taken from the backlog, not wholly applied yet
	downSince time.Time
	saidDown  time.Time
}

func (a *applier) apply(ctx context.Context) {
	defer close(a.applied)
	pause := retryFirst
	for {
		idle, err := a.step(ctx)
		if err == nil {
			a.up()
			pause = retryFirst
			if idle && !a.rest(ctx) {
				return
			}
			continue
		}
		if ctx.Err() != nil {
			return
		}
		a.down(err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause)): // hosts do not all come back at one instant
		}
		pause = min(2*pause, retryMost)
	}
}

// rest waits for work; false when there will be none.
func (a *applier) rest(ctx context.Context) bool {
	records, _, _, finished := a.backlog.holds(a.run)
	if records > 0 {
		return true
	}
	if finished {
		return false
	}
	select {
	case <-a.backlog.wake:
		return true
	case <-ctx.Done():
		return false
	}
}

// step does one thing: it applies a batch, or enters the registry once all
// records of earlier lives are in.
func (a *applier) step(ctx context.Context) (idle bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, applyTimeout)
	defer cancel()
	if _, _, older, _ := a.backlog.holds(a.run); !older && !a.entered.Load() {
		games, err := a.db.EnterHost(ctx, a.host)
		if err != nil {
			return false, err
		}
		a.entered.Store(true)
		if games > 0 {
			a.log.Warn().Int("games", games).Msg("games that ran when the host died are closed as crashed")
		}
	}
	if a.batch == nil && !a.load() {
		return true, nil
	}
	if err := a.drain(ctx); err != nil {
		return false, err
	}
	a.batch = nil
	for _, free := range a.backlog.done() {
		if err := a.spool.Release(free); err != nil {
			a.log.Warn().Err(err).Msg("a finished spool file stays; it is skipped at the next start")
		}
	}
	return false, nil
}

// load takes the oldest frames and decodes them, reading from disk what memory
// does not hold. It says no when there are none.
func (a *applier) load() bool {
	row := a.backlog.take()
	if len(row) == 0 {
		return false
	}
	a.batch = &Batch{HostID: a.host.ID, Run: runText(row[0].run)}
	decode := func(seq uint64, payload []byte) error {
		rec, err := decodeRecord(payload)
		if err != nil {
			a.reject(seq, err, rawText(payload))
			return nil
		}
		a.batch.Entries = append(a.batch.Entries, Entry{Seq: seq, Record: rec})
		return nil
	}
	for _, p := range row {
		frames, err := p.frames, error(nil)
		if frames == nil {
			frames, err = a.spool.Read(p.at)
		}
		if err == nil {
			err = spool.Each(frames, decode)
		}
		if err != nil { // a file damaged or deleted under our feet: go on behind it
			a.counts.rejected.Add(uint64(p.records) - 1)
			a.reject(p.first, err, fmt.Sprintf("records %d to %d", p.first, p.last))
		}
	}
	return true
}

// drain applies the batch from its front. When the database refuses something
// in it, the part that is tried is halved until the culprit stands alone.
func (a *applier) drain(ctx context.Context) error {
	for try := len(a.batch.Entries); len(a.batch.Entries) > 0; {
		try = min(try, len(a.batch.Entries))
		part := *a.batch
		part.Entries = part.Entries[:try]
		switch err := a.db.Apply(ctx, part); {
		case err == nil:
			a.counts.applied.Add(uint64(try))
		case !errors.Is(err, ErrRejected):
			return err
		case try > 1:
			try /= 2
			continue
		default:
			a.reject(part.Entries[0].Seq, err, part.Entries[0].Record)
		}
		a.batch.Entries = a.batch.Entries[try:]
		try *= 2
	}
	return nil
}

// reject puts a record aside that the database will never take.
func (a *applier) reject(seq uint64, why error, rec any) {
	a.counts.rejected.Add(1)
	line, err := json.Marshal(map[string]any{
		"at": time.Now().UTC(), "run": a.batch.Run, "seq": seq, "why": why.Error(),
		"type": fmt.Sprintf("%T", rec), "record": rec,
	})
	if err == nil {
		err = appendLine(filepath.Join(a.opts.Dir, rejectedFile), line)
	}
	a.log.Error().Err(why).AnErr("aside", err).Uint64("seq", seq).Type("record", rec).
		Msg("the database refuses a record; it is put aside in " + rejectedFile)
}

func (a *applier) down(err error) {
	now := time.Now()
	if a.counts.dbDown.CompareAndSwap(false, true) {
		a.downSince = now
	} else if now.Sub(a.saidDown) < lossReports {
		return
	}
	a.saidDown = now
	waiting, _, _, _ := a.backlog.holds(a.run)
	a.log.Warn().Err(err).Int("waiting", waiting).Int64("spool_bytes", a.spool.Size()).
		Msg("the database does not take records: they wait in the spool")
}

func (a *applier) up() {
	if a.counts.dbDown.CompareAndSwap(true, false) {
		a.log.Info().Dur("after", time.Since(a.downSince)).Msg("the database takes records again")
	}
}

func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
