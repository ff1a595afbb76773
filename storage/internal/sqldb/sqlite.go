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
	// readers is how many connections read at a time.
	readers = 4
	// walTimeout is how long a new file may be in the hands of another host.
	walTimeout = 10 * time.Second
	// filePoll is how often a lock file is tried while another host has it.
	filePoll = 50 * time.Millisecond
)

// liteDB has one connection that writes and a few that read: SQLite lets only one
// write at a time, and waiting in Go is cheaper than its busy handler.
type liteDB struct {
	path   string
	write  *sql.DB
	read   *sql.DB
	opened atomic.Pointer[os.FileInfo] // the file as it was when it was there first

	mu      sync.Mutex
	written chan struct{} // closed by the next write of this process
}

func init() { // as Postgres has it
	sqlite.MustRegisterScalarFunction("now", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return time.Now().UTC().Format(sqliteTime), nil
	})
}

// OpenSQLite opens the file, creating it and its directory when missing, for
// this user only.
func OpenSQLite(path string) (DB, error) {
	if err := createLite(path); err != nil {
		return nil, err
	}
	// A commit is synced before the spool forgets its records: FULL.
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

// moved returns an error if the file is no longer at its path. SQLite would write on
// to the file that nobody can open again; after the error records stay in the spool.
// The check costs a system call of some microseconds.
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

// createLite makes the file before SQLite does, which would let everybody read
// it. The files beside it (-wal, -shm) get the rights of the file.
func createLite(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("%w: create the directory of the database: %w", ErrUnavailable, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil // it is there, or the first call that needs it says why it can't be
	}
	return f.Close()
}

// enterWAL makes the first connection while no other host does: the step to WAL
// mode, in a new file, does not wait for a lock, whatever the busy timeout. Any
// other fault is an error of the first call that needs the file.
func (s *liteDB) enterWAL() {
	ctx, cancel := context.WithTimeout(context.Background(), walTimeout)
	defer cancel()
	if unlock, err := lockLite(ctx, s.path); err == nil {
		_ = s.write.PingContext(ctx)
		unlock()
	}
}

// lockLite takes the lock file: SQLite's own locks span no more than a
// transaction, and each migration is one.
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

// Ping reads from the file: opening is lazy, and a plain ping reads nothing.
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
	n, err := lite(s.write).Exec(ctx, query, args...)
	s.notify()
	return n, s.explain(err)
}

func (s *liteDB) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	if err := s.moved(); err != nil {
		return err
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

// explain translates err and names the file.
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
		if _, err := st.ExecContext(ctx, bound(s.Args, false)...); err != nil {
			return translate(err)
		}
	}
	return nil
}
