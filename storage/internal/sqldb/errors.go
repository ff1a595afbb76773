package sqldb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors by kind; test for them with errors.Is. All errors of this package wrap one of them.
var (
	ErrNotFound    = errors.New("not found")
	ErrConflict    = errors.New("already there")
	ErrUnavailable = errors.New("database unavailable")
	ErrRejected    = errors.New("the database refused the value")
	ErrUnusable    = errors.New("the database is not set up for this program")

	errMoved = fmt.Errorf("%w: its file was deleted or replaced while this program ran: put the file back, or start the program again", ErrUnavailable)
)

// translate converts a driver's error to one of the errors above. The driver's error is included only as
// text, so that callers cannot depend on it.
func translate(err error) error {
	is := func(target error) bool { return errors.Is(err, target) }
	if err == nil || slices.ContainsFunc([]error{ErrNotFound, ErrConflict, ErrUnavailable, ErrRejected, ErrUnusable}, is) {
		return err
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if is(ended) {
			return fmt.Errorf("%w: %w", ErrUnavailable, ended)
		}
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		text := pg.Message + postgresRemedy(pg.Code)
		if conn, ok := errors.AsType[*pgconn.ConnectError](err); ok {
			text = connectText(conn)
		}
		return fmt.Errorf("%w: %s", postgresKind(pg.Code), text)
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return fmt.Errorf("%w: %s%s", sqliteKind(lite.Code()), lite.Error(), sqliteRemedies[lite.Code()&0xFF])
	}
	if conn, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return fmt.Errorf("%w: %s", ErrUnavailable, connectText(conn))
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, oneLine(err))
}

// Translate converts an error of a library that has used a connection from Migrating.
func Translate(err error) error { return translate(err) }

// kindByClass maps the class of an SQLSTATE code, its first two characters, to an error. Conditions of other
// classes may be temporary, such as lost connections, deadlocks, or a server that is out of memory or
// shutting down.
var kindByClass = map[string]error{
	"21": ErrRejected, // cardinality violation
	"22": ErrRejected, // data exception
	"23": ErrRejected, // integrity constraint violation
	"44": ErrRejected, // check option violation
	"54": ErrRejected, // program limit exceeded, for example a value too long for an index
	"P0": ErrRejected, // raised by a trigger or function
	"0A": ErrUnusable, // feature not supported
	"28": ErrUnusable, // wrong user or password, or refused by pg_hba.conf
	"3D": ErrUnusable, // database does not exist
	"3F": ErrUnusable, // schema does not exist
	"42": ErrUnusable, // missing rights, tables, columns or functions
}

// postgresKind classifies an SQLSTATE code: ErrRejected for values that can never be stored, ErrUnusable for
// problems that somebody must fix in the database, ErrUnavailable for temporary ones.
func postgresKind(code string) error {
	if code == "23505" { // unique_violation
		return ErrConflict
	}
	if kind := kindByClass[code[:min(len(code), 2)]]; kind != nil {
		return kind
	}
	return ErrUnavailable
}

// postgresRemedies holds advice by SQLSTATE code.
var postgresRemedies = map[string]string{
	"3D000": " (create it with createdb, or name another in database.url)",
	"42501": " (grant the user of database.url rights on the schema)",
	"42P01": " (run: w3host db migrate up)",
	"42703": " (run: w3host db migrate up)",
	"53100": " (free some space on the database server)",
	"53300": " (raise max_connections, or set pool_max_conns in database.url)",
}

func postgresRemedy(code string) string {
	if strings.HasPrefix(code, "28") {
		return " (check user and password in database.url, PGPASSWORD or ~/.pgpass)"
	}
	return postgresRemedies[code]
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
	case sqlite3.SQLITE_ERROR: // missing tables, columns or functions
		return ErrUnusable
	}
	return ErrUnavailable
}

// sqliteRemedies holds advice by primary code.
var sqliteRemedies = map[int]string{
	sqlite3.SQLITE_CANTOPEN: " (does the directory exist, and may this user write to it?)",
	sqlite3.SQLITE_READONLY: " (may this user write to the file and its directory?)",
	sqlite3.SQLITE_PERM:     " (may this user write to the file and its directory?)",
	sqlite3.SQLITE_FULL:     " (free some space on its disk)",
	sqlite3.SQLITE_NOTADB:   " (the file is not an SQLite database: name another in database.url)",
	sqlite3.SQLITE_CORRUPT:  " (restore a backup, or see docs/database.md on recovery)",
}

// connectText describes a failed connection without its password.
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
