package daemon

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"w3host/config"
	"w3host/control/people"
	"w3host/storage"

	"github.com/rs/zerolog"
)

func (d *daemon) openDatabase() (err error) {
	d.db, err = storage.Open(d.ctx, d.Config.DatabaseURL(), storage.Options{
		Log: d.part("database"), StartWithoutDatabase: true, Unasked: d.host.Inherited.HasPlayers(), // their players wait for a turn
	})
	if err != nil {
		return err
	}
	d.atLast(func() error { return closeDatabase(d.db) })
	d.host.People, d.host.Ratings = people.Directory{DB: d.db, Rule: func() people.Warnings { return d.lists.warnings() }}, ratings{d.db}
	return nil
}

// openRecords opens the spool, and keeps the database in order.
func (d *daemon) openRecords() error {
	recorder, err := storage.NewRecorder(d.db, storage.RecorderOptions{
		Heart: &d.heart,
		Dir:   d.Config.SpoolDir(), Name: hostName(d.Config), Version: d.Version, GoOn: d.host.Inherited.Keys(), AllowAlternateDir: d.Config.Fleet.Enabled,
		Log: d.part("records"),
	})
	if err != nil {
		return fmt.Errorf("the spool %s: %w", d.Config.SpoolDir(), err)
	}
	if dir, n := recorder.Dir(); n > 1 { // another process has the folder, and its journals
		d.Log.Info().Str("spool", dir).Msg("another host has the spool of this data folder")
		d.host.Journal.Dir = fmt.Sprintf("%s-%d", d.host.Journal.Dir, n)
	}
	context.AfterFunc(d.ctx, d.endSoon)
	d.atLast(noError(func() { closeRecorder(d.recorder, time.Unix(0, d.endBy.Load()), d.Log) }))
	d.recorder, d.records = recorder, storage.LimitAudit(&d.relay)
	d.relay.to.Store(recorder)
	d.host.Recorder = d.records
	go housekeeping(d.ctx, d.db, Retention(d.Config.Database), d.part("database")) // ends with ctx
	applied := func() uint64 { return recorder.Stats().Applied }
	d.ladders = &ladders{db: d.db, lan: d.Config.Public.LAN, configured: Ladders(d.Config)}
	go keepRatings(d.ctx, d.db, &d.heart, applied, d.ladders, d.part("database")) // ends with ctx
	return nil
}

// endSoon gives the process limits.shutdown_timeout, and its records a moment more.
func (d *daemon) endSoon() {
	d.endBy.Store(time.Now().Add(d.Config.Limits.Shutdown.D() + recordsTimeout).UnixNano())
}

// spare is how long a process that hosts no more may still take.
func (d *daemon) spare() time.Duration {
	if !d.handing.Load() {
		return 0
	}
	return time.Until(time.Unix(0, d.endBy.Load())) - recordsTimeout
}

// closeRecorder waits until the database has the last records, or the deadline. The
// others are not lost: they are in the spool.
func closeRecorder(r *storage.Recorder, deadline time.Time, log zerolog.Logger) {
	if least := time.Now().Add(recordsLeast); deadline.Before(least) {
		deadline = least
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		log.Warn().Err(err).Msg("some records have not reached the database")
	}
}

// closeDatabase does not wait for a database that does not answer.
func closeDatabase(db *storage.Store) error {
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }() // ends with the program, at the latest
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTimeout):
		return nil
	}
}

func hostName(c config.Config) string {
	name, _ := os.Hostname()
	return cmp.Or(c.Database.HostName, name, filepath.Base(os.Args[0]))
}
