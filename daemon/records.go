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
		Log: d.part("database"), StartWithoutDatabase: true, Unasked: d.host.Inherited.HasPlayers(), // players are waiting for a turn
	})
	if err != nil {
		return err
	}
	d.atLast(func() error { return closeDatabase(d.db) })
	d.host.People, d.host.Ratings = people.Directory{DB: d.db, Rule: func() people.Warnings { return d.lists.warnings() }}, ratings{d.db}
	return nil
}

// openRecords opens the spool and starts the maintenance of the database.
func (d *daemon) openRecords() error {
	within := time.Duration(0)
	if d.Supervisor != nil && d.Supervisor.StandsBy() {
		within = spoolTimeout
	}
	recorder, err := storage.AwaitRecorder(d.ctx, d.db, storage.RecorderOptions{
		Heart: &d.heart,
		Dir:   d.Config.SpoolDir(), Name: hostName(d.Config), Version: d.Version, GoOn: d.host.Inherited.Keys(), AllowAlternateDir: d.Config.Fleet.Enabled,
		Log: d.part("records"),
	}, within)
	if err != nil {
		return fmt.Errorf("cannot open the spool %s: %w", d.Config.SpoolDir(), err)
	}
	if dir, n := recorder.Dir(); n > 1 { // another process uses the folder and its journals
		d.Log.Info().Str("spool", dir).Msg("another host uses the spool of this data folder; using another folder")
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

// endSoon sets the deadline of the process to limits.shutdown_timeout, plus a moment for its records.
func (d *daemon) endSoon() {
	d.endBy.Store(time.Now().Add(d.Config.Limits.Shutdown.D() + recordsTimeout).UnixNano())
}

// spare returns the time left for a process that no longer hosts.
func (d *daemon) spare() time.Duration {
	if !d.handing.Load() {
		return 0
	}
	return time.Until(time.Unix(0, d.endBy.Load())) - recordsTimeout
}

// closeRecorder waits until the last records are in the database, or until the deadline. The remaining ones are not
// lost: they are in the spool.
func closeRecorder(r *storage.Recorder, deadline time.Time, log zerolog.Logger) {
	if least := time.Now().Add(recordsLeast); deadline.Before(least) {
		deadline = least
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		log.Warn().Err(err).Msg("some records are not in the database yet; they remain in the spool")
	}
}

// closeDatabase closes the database, but does not wait for one that does not answer.
func closeDatabase(db *storage.Store) error {
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }() // ends with the process at the latest
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
