package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/storage/internal/sqldb"
)

// defaultURL is the database of a first start.
const defaultURL = "sqlite:data/w3host.db"

// openTimeout bounds how long Open waits for an answer.
const openTimeout = 30 * time.Second

// Options change what Open does.
type Options struct {
	Log zerolog.Logger
	// StartWithoutDatabase lets Open succeed while the server is away: the
	// schema is checked by the first call that reaches it.
	StartWithoutDatabase bool
	// LeaveSchema neither migrates nor checks the schema.
	LeaveSchema bool
	// MustExist creates nothing: a SQLite file that is missing, and a schema
	// that is not up to date, are ErrNoDatabase.
	MustExist bool
}

// Store is an open database. Its SQL is the part that both dialects share.
type Store struct {
	sql  sqldb.DB
	opts Options
	log  zerolog.Logger

	ready   atomic.Bool // the schema is as this program knows it
	readyMu sync.Mutex
}

// Open opens the database of a URL and brings its schema up to date:
//
//	sqlite:data/w3host.db        a file; its directory is created
//	postgres://user@host/db      also postgresql://, and libpq's keyword form
//	host=/run/postgresql dbname=w3host
//
// What a Postgres URL leaves out comes from libpq's environment (PGHOST,
// PGPASSWORD, PGSSLMODE, ~/.pgpass …).
func Open(ctx context.Context, url string, opts Options) (*Store, error) {
	if err := mustExist(url, opts); err != nil {
		return nil, err
	}
	sql, err := openURL(url)
	if err != nil {
		return nil, err
	}
	d := &Store{sql: sql, opts: opts, log: opts.Log}
	d.ready.Store(opts.LeaveSchema)
	if err = d.ask(ctx); err == nil && !opts.LeaveSchema {
		err = d.prepare(ctx) // building an index takes as long as it takes
	}
	if opts.StartWithoutDatabase && errors.Is(err, ErrUnavailable) {
		d.log.Warn().Err(err).Msg("the database is not available yet: records wait in the spool until it is")
		return d, nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), sql.Close())
	}
	return d, nil
}

// ask pings the database, in a bounded time.
func (d *Store) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	return d.sql.Ping(ctx)
}

// Kind is "postgres" or "sqlite".
func (d *Store) Kind() string { return d.sql.Dialect() }

// Ping asks whether the database answers.
func (d *Store) Ping(ctx context.Context) error { return d.sql.Ping(ctx) }

func (d *Store) Close() error { return d.sql.Close() }

// prepare follows a moved file and checks the schema. Every method begins with it.
func (d *Store) prepare(ctx context.Context) error {
	if d.opts.LeaveSchema {
		return nil
	}
	if err := d.refresh(ctx); err != nil {
		return err
	}
	if d.ready.Load() {
		return nil
	}
	d.readyMu.Lock()
	defer d.readyMu.Unlock()
	if d.ready.Load() {
		return nil
	}
	migrate := d.MigrateUp
	if d.opts.MustExist {
		migrate = d.mustBeMigrated
	}
	if err := migrate(ctx); err != nil {
		return err
	}
	if err := d.sql.Adopt(ctx); err != nil {
		return err
	}
	d.ready.Store(true)
	return nil
}

// refresh follows the file of a database that somebody moved, or puts it back.
func (d *Store) refresh(ctx context.Context) error {
	move, err := d.sql.Refresh(ctx)
	switch move {
	case sqldb.Restored:
		d.log.Error().Msg("the database file was deleted while the host ran: it was restored from the open connection, nothing is lost")
	case sqldb.Replaced:
		d.ready.Store(false)
		d.log.Error().Msg("the database file was replaced while the host ran: the new one is in use now, and games that are not over were copied to it")
	case sqldb.Stays:
	}
	return err
}

func (d *Store) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := d.prepare(ctx); err != nil {
		return 0, err
	}
	return d.sql.Exec(ctx, query, args...)
}

func (d *Store) tx(ctx context.Context, do func(sqldb.Tx) error) error {
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.sql.Tx(ctx, do)
}

// collect reads rows into a slice, which is never nil, by a scan of its own.
func collect[T any](ctx context.Context, d *Store, query string, args []any, scan func(sqldb.Scan, *T) error) ([]T, error) {
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	all := []T{}
	err := d.sql.Query(ctx, query, args, func(s sqldb.Scan) error {
		var one T
		err := scan(s, &one)
		all = append(all, one)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// fold makes the form in which names and realms are compared: without case.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// clean makes text that every database takes: names come from the wire and
// may hold anything, but Postgres knows neither NUL nor bytes that are not UTF-8.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
