package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	ErrNotFound    = errors.New("not found")
	ErrConflict    = errors.New("already there")
	ErrUnavailable = errors.New("database unavailable")
	ErrRejected    = errors.New("database refused the value")
	ErrMoved       = fmt.Errorf("%w: the file was deleted or replaced", ErrUnavailable)
)

// translate turns the errors of either database into ours. The driver's error
// is kept as text only: nobody outside can come to depend on it.
func translate(err error) error {
	if err == nil || isOurs(err) {
		return err
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	if ctxErr := contextError(err); ctxErr != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, ctxErr)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fmt.Errorf("%w: %s%s", postgresKind(pg.Code), pg.Message, postgresRemedy(pg.Code))
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return fmt.Errorf("%w: %s%s", sqliteKind(lite.Code()), lite.Error(), sqliteRemedy(lite.Code()))
	}
	if conn, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return fmt.Errorf("%w: %s", ErrUnavailable, connectText(conn))
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, oneLine(err))
}

func isOurs(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrRejected)
}

func contextError(err error) error {
	for _, ctxErr := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ctxErr) {
			return ctxErr
		}
	}
	return nil
}

// postgresKind sorts SQLSTATE codes. Only a value that can never be stored is
// rejected; all else may be well again later.
func postgresKind(code string) error {
	switch {
	case code == "23505": // unique_violation
		return ErrConflict
	case strings.HasPrefix(code, "22"), strings.HasPrefix(code, "23"): // data exception, integrity
		return ErrRejected
	}
	return ErrUnavailable
}

func postgresRemedy(code string) string {
	switch {
	case strings.HasPrefix(code, "28"):
		return " (check user and password in database.url, PGPASSWORD or ~/.pgpass)"
	case code == "3D000":
		return " (create it with createdb, or name another in database.url)"
	case code == "42501":
		return " (grant the user of database.url rights on the schema)"
	case code == "42P01", code == "42703":
		return " (run: w3host migrate up)"
	case code == "53100":
		return " (free some space on the database server)"
	case code == "53300":
		return " (raise max_connections, or set pool_max_conns in database.url)"
	}
	return ""
}

func sqliteKind(code int) error {
	switch code & 0xFF { // the primary code
	case sqlite3.SQLITE_CONSTRAINT:
		if code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY {
			return ErrConflict
		}
		return ErrRejected
	case sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE:
		return ErrRejected
	}
	return ErrUnavailable
}

func sqliteRemedy(code int) string {
	switch code & 0xFF {
	case sqlite3.SQLITE_CANTOPEN:
		return " (does the directory exist, and may this user write to it?)"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return " (may this user write to the file and its directory?)"
	case sqlite3.SQLITE_FULL:
		return " (free some space on its disk)"
	case sqlite3.SQLITE_NOTADB:
		return " (the file is no SQLite database: name another in database.url)"
	case sqlite3.SQLITE_CORRUPT:
		return " (restore a backup, or see docs/database.md on recovery)"
	}
	return ""
}

// connectText names where the connection failed, never with what password.
func connectText(err *pgconn.ConnectError) string {
	where := ""
	if c := err.Config; c != nil {
		where = fmt.Sprintf("Postgres at %s:%d (database %q, user %q): ", c.Host, c.Port, c.Database, c.User)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return where + pg.Message + postgresRemedy(pg.Code)
	}
	return where + oneLine(err.Unwrap()) + " (is the server running, and is database.url right?)"
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
