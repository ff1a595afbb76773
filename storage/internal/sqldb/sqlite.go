package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	// readers is how many connections read at a time.
	readers = 4
	// walTimeout is how long a new file may be in the hands of another host.
	walTimeout = 10 * time.Second
	// filePoll is how often a lock file is tried while another host has it.
	filePoll = 50 * time.Millisecond
)

// liteDB is a file, whichever is at its path now.
type liteDB struct {
	path  string
	file  atomic.Pointer[liteFile]
	moves sync.Mutex
	gone  *liteFile // what was at the path before, with what Adopt is to save

	mu       sync.Mutex
	watchers map[chan struct{}]struct{} // told of writes of this process
}

// OpenSQLite opens the file, creating it and its directory when missing, for
// this user only.
func OpenSQLite(path string) (DB, error) {
	s := &liteDB{path: path, watchers: map[chan struct{}]struct{}{}}
	f, err := openLiteFile(path)
	if err != nil {
		return nil, err
	}
	s.file.Store(f)
	return s, nil
}

// liteFile has one connection that writes and a few that read: SQLite lets only
// one write at a time, and waiting in Go is cheaper than its busy handler.
type liteFile struct {
	write *sql.DB
	read  *sql.DB
	seen  map[string]os.FileInfo // the file, its WAL and the index of that
}

func openLiteFile(path string) (*liteFile, error) {
	if err := createLite(path); err != nil {
		return nil, err
	}
	// A commit is synced before the spool forgets its records: FULL.
	write, err := openLite(path, "_txlock=immediate", "_pragma=synchronous(full)")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := openLite(path, "_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	f := &liteFile{write: write, read: read, seen: map[string]os.FileInfo{}}
	f.enterWAL(path)
	return f, nil
}

func (f *liteFile) close() error { return errors.Join(f.read.Close(), f.write.Close()) }

// createLite makes the file before SQLite does, which would let everybody read
// it. What is beside it (-wal, -shm) gets the rights of the file.
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
// mode, in a new file, does not wait for a lock, whatever the busy timeout. What
// else goes wrong is told by the first call that needs the file.
func (f *liteFile) enterWAL(path string) {
	ctx, cancel := context.WithTimeout(context.Background(), walTimeout)
	defer cancel()
	lock := flock.New(path + ".migrating")
	if _, err := lock.TryLockContext(ctx, filePoll); err != nil {
		return
	}
	_ = f.write.PingContext(ctx)
	_ = lock.Unlock()
}

func openLite(path string, params ...string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=foreign_keys(1)"
	for _, p := range params {
		dsn += "&" + p
	}
	db, err := sql.Open("sqlite", dsn)
	return db, translate(err)
}

func (s *liteDB) Dialect() string { return "sqlite" }

func (s *liteDB) Now() string { return "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" }

func (s *liteDB) Ping(ctx context.Context) error {
	// Opening is lazy, and a ping reads nothing: look into the file.
	var n int
	return s.explain(s.file.Load().write.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n))
}

func (s *liteDB) Close() error { return translate(s.file.Load().close()) }

func (s *liteDB) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	n, err := liteQueryer{s.file.Load().write}.Exec(ctx, query, args...)
	s.tell()
	return n, s.explain(err)
}

func (s *liteDB) Query(ctx context.Context, query string, args []any, each func(Scan) error) error {
	return s.explain(liteQueryer{s.file.Load().read}.Query(ctx, query, args, each))
}

func (s *liteDB) One(ctx context.Context, query string, args []any, dest ...any) error {
	return s.explain(liteQueryer{s.file.Load().read}.One(ctx, query, args, dest...))
}

func (s *liteDB) Tx(ctx context.Context, do func(Tx) error) error {
	tx, err := s.file.Load().write.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(err)
	}
	if err := do(liteTx{liteQueryer{tx}, tx}); err != nil {
		_ = tx.Rollback() // the first error is the one that tells
		return s.explain(err)
	}
	err = tx.Commit()
	s.tell()
	return s.explain(err)
}

// Migrating takes a lock file: SQLite's own locks span no more than a
// transaction, and each migration is one.
func (s *liteDB) Migrating(ctx context.Context) (*sql.DB, func(), error) {
	lock := flock.New(s.path + ".migrating")
	if _, err := lock.TryLockContext(ctx, filePoll); err != nil {
		return nil, nil, s.explain(fmt.Errorf("wait for %s: %w", lock.Path(), err))
	}
	return s.file.Load().write, func() { _ = lock.Unlock() }, nil
}

// explain translates err and names the file.
func (s *liteDB) explain(err error) error {
	if err == nil || isOurs(err) {
		return err
	}
	err = translate(err)
	if errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("%w [%s]", err, s.path)
	}
	return err
}

type liteTx struct {
	liteQueryer
	tx *sql.Tx
}

func (t liteTx) Batch(ctx context.Context, statements []Statement, rows []Rows) error {
	prepared := map[string]*sql.Stmt{}
	defer func() {
		for _, st := range prepared {
			_ = st.Close()
		}
	}()
	run := func(query string, args []any) error {
		st := prepared[query]
		if st == nil {
			var err error
			if st, err = t.tx.PrepareContext(ctx, query); err != nil {
				return translate(err)
			}
			prepared[query] = st
		}
		_, err := st.ExecContext(ctx, timeArgs(args, true)...)
		return translate(err)
	}
	for _, s := range statements {
		if err := run(s.SQL, s.Args); err != nil {
			return err
		}
	}
	for _, r := range rows {
		query := insert(r.Table)
		for _, values := range r.Values {
			if err := run(query, values); err != nil {
				return err
			}
		}
	}
	return nil
}

func insert(t *Table) string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s) ON CONFLICT DO NOTHING",
		t.Name, strings.Join(names, ", "), strings.Repeat(", ?", len(names)-1))
}

// liteQueryer is a Queryer on a handle or in a transaction.
type liteQueryer struct {
	conn interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
}

func (q liteQueryer) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := q.conn.ExecContext(ctx, query, timeArgs(args, true)...)
	if err != nil {
		return 0, translate(err)
	}
	n, err := res.RowsAffected()
	return n, translate(err)
}

func (q liteQueryer) One(ctx context.Context, query string, args []any, dest ...any) error {
	return translate(q.conn.QueryRowContext(ctx, query, timeArgs(args, true)...).Scan(dest...))
}

func (q liteQueryer) Query(ctx context.Context, query string, args []any, each func(Scan) error) error {
	rows, err := q.conn.QueryContext(ctx, query, timeArgs(args, true)...)
	if err != nil {
		return translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return translate(err)
		}
	}
	return translate(rows.Err())
}
