// Package storage is the game log: what happened in which game, who is banned,
// who is an admin, and the statistics read from it.
//
// A game hands [Record] values to a [Recorder], which never blocks and never
// does I/O on the caller's goroutine. One writer appends them to a spool on
// disk, a second stage applies the spool, in order and exactly once, to the
// database. A database that is down, slow or full only makes the spool grow.
//
// [Open] chooses the database by its URL: SQLite (the default) or Postgres.
// No type and no error of either database leaves this package.
package storage

import (
	"context"
	"database/sql"
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

// Callers branch on these errors. The text of an error explains it in a sentence. No
// caller gets the error of a driver.
var (
	// ErrNotFound: there is no such player, ban, admin …
	ErrNotFound = sqldb.ErrNotFound
	// ErrConflict: it is there already.
	ErrConflict = sqldb.ErrConflict
	// ErrUnavailable: the database can't be asked now; later it may.
	ErrUnavailable = sqldb.ErrUnavailable
	// ErrRejected: the database refuses the value itself.
	ErrRejected = sqldb.ErrRejected
	// ErrUnusable: the database lacks rights, tables or functions; somebody has to change it first.
	ErrUnusable = sqldb.ErrUnusable
	// ErrNewerSchema: a later w3host has migrated this database.
	ErrNewerSchema = errors.New("the database was made by a newer w3host")
	// ErrNoDatabase: nothing is there, or not all of it, and nothing may be created.
	ErrNoDatabase = errors.New("no database of w3host")
	// ErrBadURL: database.url is not understood.
	ErrBadURL = errors.New("bad database URL")
)

// Options change what Open does.
type Options struct {
	Log zerolog.Logger
	// StartWithoutDatabase lets Open succeed while the server is away: the
	// schema is checked by the first call that reaches it.
	StartWithoutDatabase bool
	// Unasked has Open wait for no server: the first call that needs it does.
	Unasked bool
	// LeaveSchema neither migrates nor checks the schema.
	LeaveSchema bool
	// MustExist creates nothing: a SQLite file that is missing, and a schema
	// that is not up to date, are ErrNoDatabase.
	MustExist bool
}

// Store is an open database. Its SQL is the part that both dialects share.
type Store struct {
	sql  checked
	db   sqldb.DB // behind sql
	opts Options

	ready   atomic.Bool // the schema is as this program knows it
	readyMu sync.Mutex
}

// Open opens the database of a URL and brings its schema up to date:
//
//	sqlite:data/w3host.db        a file; its directory is created
//	postgres://user@host/db      also postgresql://, and libpq's keyword form
//	host=/run/postgresql dbname=w3host
//
// Settings that a Postgres URL leaves out come from libpq's environment (PGHOST,
// PGPASSWORD, PGSSLMODE, ~/.pgpass …).
func Open(ctx context.Context, url string, opts Options) (*Store, error) {
	db, err := openURL(url, opts.MustExist)
	if err != nil {
		return nil, err
	}
	d := &Store{db: db, opts: opts}
	d.sql.d = d
	d.ready.Store(opts.LeaveSchema)
	if opts.Unasked {
		return d, nil
	}
	asking, cancel := context.WithTimeout(ctx, openTimeout)
	err = db.Ping(asking)
	cancel()
	if err == nil && !opts.LeaveSchema {
		err = d.prepare(ctx) // building an index takes as long as it takes
	}
	if opts.StartWithoutDatabase && errors.Is(err, ErrUnavailable) {
		d.opts.Log.Warn().Err(err).Msg("the database is not available yet: records wait in the spool until it is")
		return d, nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), db.Close())
	}
	return d, nil
}

// Kind is "postgres" or "sqlite".
func (d *Store) Kind() string { return d.db.Dialect() }

// Ping asks whether the database answers.
func (d *Store) Ping(ctx context.Context) error { return d.db.Ping(ctx) }

func (d *Store) Close() error { return d.db.Close() }

func (d *Store) isPostgres() bool { return d.db.Dialect() == "postgres" }

// prepare checks the schema, or brings it up to date, before the first use.
func (d *Store) prepare(ctx context.Context) error {
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
	err := migrate(ctx)
	d.ready.Store(err == nil)
	return err
}

// checked is the database, with its schema checked before the first use.
type checked struct{ d *Store }

func (c checked) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := c.d.prepare(ctx); err != nil {
		return 0, err
	}
	return c.d.db.Exec(ctx, query, args...)
}

func (c checked) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	if err := c.d.prepare(ctx); err != nil {
		return err
	}
	return c.d.db.Query(ctx, query, args, each)
}

func (d *Store) tx(ctx context.Context, do func(sqldb.Tx) error) error {
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.db.Tx(ctx, do)
}

// inTx is tx for functions with a result.
func inTx[T any](ctx context.Context, d *Store, do func(sqldb.Tx) (T, error)) (result T, err error) {
	err = d.tx(ctx, func(tx sqldb.Tx) (err error) {
		result, err = do(tx)
		return err
	})
	return result, err
}

// notFound names the thing that an ErrNotFound is about.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf(format+": %w", append(args, ErrNotFound)...)
	}
	return err
}

// some makes an error of no rows that a statement has found or changed.
func some[N int | int64](n N, err, kind error, format string, args ...any) error {
	if err == nil && n == 0 {
		return fmt.Errorf(format+": %w", append(args, kind)...)
	}
	return err
}

// fold makes the form in which names and realms are compared: without case.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// nameKey is a name from the wire in that form.
func nameKey(name string) string { return fold(clean(name)) }

// clean makes text that every database takes: names come from the wire and
// may hold anything, but Postgres knows neither NUL nor bytes that are not UTF-8.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
