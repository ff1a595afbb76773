package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
)

const (
	// readers is the number of connections for reading.
	readers = 4
	// walTimeout limits how long to wait while another host creates the same file.
	walTimeout = 10 * time.Second
	// filePoll is the interval at which a held lock file is tried again.
	filePoll = 50 * time.Millisecond
)

// liteDB has one connection for writing and a few for reading. SQLite allows only one writer at a time, and
// waiting in Go is cheaper than its busy handler.
type liteDB struct {
	path   string
	write  *sql.DB
	read   *sql.DB
	opened atomic.Pointer[os.FileInfo] // identity of the file when first seen

	mu      sync.Mutex
	written chan struct{} // closed by the next write of this process
}

func init() { // as in Postgres
	sqlite.MustRegisterScalarFunction("now", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return time.Now().UTC().Format(sqliteTime), nil
	})
}

// OpenSQLite opens a database file. It creates the file and its directory if missing, accessible only to the
// current user.
func OpenSQLite(path string) (DB, error) {
	if err := createLite(path); err != nil {
		return nil, err
	}
	// Commits must be synced (FULL) before the spool forgets their records.
	write, err := openLite(path, "_txlock=immediate&_pragma=synchronous(full)")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := openLite(path, "_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	s := &liteDB{path: path, write: write, read: read, written: make(chan struct{})}
	s.enterWAL()
	return s, s.moved()
}

// moved returns an error if the file is no longer at its path. SQLite would continue to write to the deleted
// file; with the error, records stay in the spool. The check is a system call of a few microseconds.
func (s *liteDB) moved() error {
	info, err := os.Stat(s.path)
	before := s.opened.Load()
	switch {
	case before == nil && err == nil:
		s.opened.CompareAndSwap(nil, &info)
	case before != nil && (errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, *before)):
		return s.explain(errMoved)
	}
	return nil
}

// createLite creates the file before SQLite would create one that everybody can read. SQLite gives its -wal
// and -shm files the same permissions.
func createLite(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("%w: create the directory of the database: %w", ErrUnavailable, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil // it exists, or the first query reports the problem
	}
	return f.Close()
}

// enterWAL opens the first connection under a lock, because switching a new file to WAL mode does not wait
// for other hosts, whatever the busy timeout. Other errors are reported by the first query.
func (s *liteDB) enterWAL() {
	ctx, cancel := context.WithTimeout(context.Background(), walTimeout)
	defer cancel()
	if unlock, err := lockLite(ctx, s.path); err == nil {
		_ = s.write.PingContext(ctx)
		unlock()
	}
}

// lockLite takes the lock file. SQLite's own locks last only for one transaction, and each migration step is
// one.
func lockLite(ctx context.Context, path string) (unlock func(), err error) {
	lock := flock.New(path + ".migrating")
	if _, err := lock.TryLockContext(ctx, filePoll); err != nil {
		return nil, fmt.Errorf("wait for %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

func openLite(path, params string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=foreign_keys(1)&"+params)
	return db, translate(err)
}

func lite(on handle) conn { return conn{on, false} }

func (s *liteDB) Dialect() string { return "sqlite" }

// Ping reads from the file, because opening is lazy and a plain ping reads nothing.
func (s *liteDB) Ping(ctx context.Context) error {
	if err := s.moved(); err != nil {
		return err
	}
	_, err := One[int](ctx, lite(s.write), "SELECT count(*) FROM sqlite_schema")
	return s.explain(err)
}

func (s *liteDB) Close() error { return translate(errors.Join(s.read.Close(), s.write.Close())) }

func (s *liteDB) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := s.moved(); err != nil {
		return 0, err
	}
	if isChore(ctx) {
		n, err := s.execChore(ctx, query, args...)
		return n, s.explain(err)
	}
	n, err := lite(s.write).Exec(ctx, query, args...)
	s.notify()
	return n, s.explain(err)
}

// execChore executes a statement without waiting for the disk. The next ordinary commit syncs the change too.
func (s *liteDB) execChore(ctx context.Context, query string, args ...any) (n int64, err error) {
	c, err := s.write.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	ctx = context.WithoutCancel(ctx)
	if _, err := c.ExecContext(ctx, "PRAGMA synchronous = normal"); err != nil {
		return 0, err
	}
	n, err = lite(c).Exec(ctx, query, args...)
	if _, failed := c.ExecContext(ctx, "PRAGMA synchronous = full"); failed != nil {
		_ = c.Raw(func(any) error { return driver.ErrBadConn }) // closes the connection; the next one syncs
	}
	return n, err
}

func (s *liteDB) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	if err := s.moved(); err != nil {
		return err
	}
	if isChore(ctx) {
		ctx = context.WithoutCancel(ctx)
	}
	return s.explain(lite(s.read).Query(ctx, query, args, each))
}

func (s *liteDB) Tx(ctx context.Context, do func(Tx) error) error {
	if err := s.moved(); err != nil {
		return err
	}
	defer s.notify()
	return s.explain(inTx(ctx, s.write, func(_ *sql.Conn, tx *sql.Tx) error { return do(liteTx{lite(tx), tx}) }))
}

func (s *liteDB) Migrating(ctx context.Context) (*sql.DB, func(), error) {
	unlock, err := lockLite(ctx, s.path)
	return s.write, unlock, s.explain(err)
}

// explain translates err and adds the file name.
func (s *liteDB) explain(err error) error {
	named := "[" + s.path + "]"
	if err = translate(err); errors.Is(err, ErrUnavailable) && !strings.HasSuffix(err.Error(), named) {
		return fmt.Errorf("%w %s", err, named)
	}
	return err
}

type liteTx struct {
	conn
	tx *sql.Tx
}

func (liteTx) OnPostgres(context.Context, string, ...any) error { return nil }

func (t liteTx) Batch(ctx context.Context, statements []Statement, rows []Rows) error {
	prepared := map[string]*sql.Stmt{}
	defer func() {
		for _, st := range prepared {
			_ = st.Close()
		}
	}()
	for _, r := range rows {
		query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s) ON CONFLICT DO NOTHING",
			r.Table, strings.Join(r.Columns, ", "), strings.Repeat(", ?", len(r.Columns)-1))
		for _, values := range r.Values {
			statements = append(statements, Statement{query, values})
		}
	}
	for _, s := range statements {
		st, err := prepared[s.SQL], error(nil)
		if st == nil {
			if st, err = t.tx.PrepareContext(ctx, s.SQL); err != nil {
				return translate(err)
			}
			prepared[s.SQL] = st
		}
		if _, err := st.ExecContext(ctx, driverArgs(s.Args, false)...); err != nil {
			return translate(err)
		}
	}
	return nil
}
