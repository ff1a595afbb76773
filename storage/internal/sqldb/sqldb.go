// Package sqldb is a small interface over Postgres (pgx) and SQLite (modernc.org/sqlite). It is the only
// package that imports the database drivers, and only package storage uses it.
//
// OpenPostgres and OpenSQLite return a DB; List and One read rows into structs; errors are translated to
// those of this package. It does not know the schema.
//
// Statements are the same for both databases. They use $1, $2 and so on; now() is the database's own clock,
// and IN (SELECT value FROM json_each($1)) tests whether a column is in a []string. Times are passed as
// time.Time; the zero time is NULL.
package sqldb

import (
	"context"
	"database/sql"

	"w3host/internal/heartbeat"
)

// DB is an open database. It is safe for concurrent use.
type DB interface {
	Queryer
	// Tx runs do in a transaction, which is rolled back if do returns an error.
	Tx(ctx context.Context, do func(Tx) error) error
	// Dialect returns "postgres" or "sqlite".
	Dialect() string
	// Ping checks whether the database answers.
	Ping(ctx context.Context) error
	// Migrating returns a plain handle for the migration library and holds the lock that keeps other hosts
	// from migrating. done releases both.
	Migrating(ctx context.Context) (db *sql.DB, done func(), err error)
	// Watch calls changed at the start and after every change of bans or admins by any program. It blocks
	// until ctx ends, the connection breaks or changed returns an error. Call it again from time to time,
	// because a half-dead connection delivers no notifications.
	Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error
	// Close closes all connections.
	Close() error
}

// Queryer runs single statements.
type Queryer interface {
	// Exec runs a statement and returns the number of affected rows.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// Query calls each for every row.
	Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error
}

// Tx is a transaction.
type Tx interface {
	Queryer
	// Batch runs statements in order and then inserts rows, in as few round trips as possible. Existing rows
	// are left unchanged.
	Batch(ctx context.Context, statements []Statement, rows []Rows) error
	// OnPostgres runs a statement that only Postgres needs, such as a lock or a planner setting. On SQLite it
	// does nothing.
	OnPostgres(ctx context.Context, statement string, args ...any) error
}

// Statement is a query with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// Rows is a set of new rows for one table.
type Rows struct {
	Table   string
	Columns []string
	Values  [][]any
}

// chore is the key of contexts from Chore.
type chore struct{}

// Chore returns a context for small statements that run all the time, such as heartbeats. On SQLite it saves most of
// their wake-ups: the statements cannot be cancelled once they have begun, and changes do not wait for the disk, so
// they can be lost if the machine loses power. Watch is not notified of them.
func Chore(ctx context.Context) context.Context { return context.WithValue(ctx, chore{}, true) }

func isChore(ctx context.Context) bool { return ctx.Value(chore{}) != nil }
