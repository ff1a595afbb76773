// Package storage is the game log: a database of games, players, bans, admins, ratings and statistics.
//
// A game passes [Record] values to a [Recorder], which never blocks and does no I/O on the caller's
// goroutine. A writer appends them to a spool on disk, and an applier moves them from the spool to the
// database, in order and exactly once. If the database is unavailable, slow or full, only the spool grows.
//
// [Open] returns a [Store] for SQLite (the default) or Postgres, depending on the URL; AccessCache caches bans and
// admins, and Fleet coordinates hosts that share a database. Packages host and daemon, the web console and
// the command line use this package. No types or errors of the database drivers leave it.
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

// defaultURL is the database if none is configured.
const defaultURL = "sqlite:data/w3host.db"

// openTimeout limits how long Open waits for an answer.
const openTimeout = 30 * time.Second

// Causes of errors, which callers can test for with errors.Is. The text of a returned error explains the problem
// in a sentence. Errors of database drivers are never returned.
var (
	// ErrNotFound means that there is no such player, ban, admin or other entry.
	ErrNotFound = sqldb.ErrNotFound
	// ErrConflict means that the entry already exists, or that other entries forbid the change.
	ErrConflict = sqldb.ErrConflict
	// ErrUnavailable means that the database cannot be reached now; retrying later may help.
	ErrUnavailable = sqldb.ErrUnavailable
	// ErrRejected means that the database refuses the value itself.
	ErrRejected = sqldb.ErrRejected
	// ErrUnusable means that the database lacks rights, tables or functions, which somebody must fix.
	ErrUnusable = sqldb.ErrUnusable
	// ErrNewerSchema means that a later version of w3host has migrated the database.
	ErrNewerSchema = errors.New("the database was made by a newer w3host")
	// ErrNoDatabase means that the database is missing or incomplete and may not be created.
	ErrNoDatabase = errors.New("no database of w3host")
	// ErrBadURL means that database.url is invalid.
	ErrBadURL = errors.New("bad database URL")
)

// Options configures Open.
type Options struct {
	Log zerolog.Logger
	// StartWithoutDatabase lets Open succeed while the server is unavailable. The first successful call then
	// checks the schema.
	StartWithoutDatabase bool
	// Unasked lets Open return without contacting the server, which the first call then does.
	Unasked bool
	// LeaveSchema disables both migration and checks of the schema.
	LeaveSchema bool
	// MustExist prevents creation: a missing SQLite file or an outdated schema is ErrNoDatabase.
	MustExist bool
}

// Store is an open database. Its statements are valid in both SQL dialects. It is safe for concurrent use;
// its methods block on the database.
type Store struct {
	sql  checked
	db   sqldb.DB // underlying database, without the schema check
	opts Options

	ready   atomic.Bool // the schema is known to be current
	readyMu sync.Mutex
}

// Open opens the database with the given URL and brings its schema up to date:
//
//	sqlite:data/w3host.db        a file; its directory is created
//	postgres://user@host/db      also postgresql:// and libpq's keyword form
//	host=/run/postgresql dbname=w3host
//
// Settings missing in a Postgres URL come from libpq's environment (PGHOST, PGPASSWORD, PGSSLMODE, ~/.pgpass
// and so on).
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
		err = d.prepare(ctx) // no time limit, because building an index may take long
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

// Kind returns "postgres" or "sqlite".
func (d *Store) Kind() string { return d.db.Dialect() }

// Ping checks whether the database answers.
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

// checked is the database with a schema check before the first use.
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

// inTx is like tx for functions with a result.
func inTx[T any](ctx context.Context, d *Store, do func(sqldb.Tx) (T, error)) (result T, err error) {
	err = d.tx(ctx, func(tx sqldb.Tx) (err error) {
		result, err = do(tx)
		return err
	})
	return result, err
}

// notFound adds what was not found to an ErrNotFound.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf(format+": %w", append(args, ErrNotFound)...)
	}
	return err
}

// requireRows returns an error of the given kind if a statement found or changed no rows.
func requireRows[N int | int64](n N, err, kind error, format string, args ...any) error {
	if err == nil && n == 0 {
		return fmt.Errorf(format+": %w", append(args, kind)...)
	}
	return err
}

// fold returns the form in which names and realms are compared: lower case, without surrounding spaces.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// nameKey returns the folded form of a name from the network.
func nameKey(name string) string { return fold(clean(name)) }

// clean makes text storable in every database. Names from the network may contain anything, but Postgres
// stores neither NUL nor invalid UTF-8.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
