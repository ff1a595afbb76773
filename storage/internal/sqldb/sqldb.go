// Package sqldb is the one place that imports the database drivers: a small
// interface over Postgres (pgx) and SQLite (modernc.org/sqlite) for the common part
// of both dialects. Errors are translated.
//
// Statements use $1, $2 … and are the same for both. now() is the database's own
// clock, and IN (SELECT value FROM json_each($1)) looks a column up in a []string.
// Times go in as time.Time; the zero time is NULL.
package sqldb

import (
	"context"
	"database/sql"

	"w3host/internal/heartbeat"
)

// DB is an open database.
type DB interface {
	Queryer
	// Tx runs do in a transaction that is rolled back when do fails.
	Tx(ctx context.Context, do func(Tx) error) error
	// Dialect is "postgres" or "sqlite", the name of its migrations.
	Dialect() string
	// Ping asks whether the database answers.
	Ping(ctx context.Context) error
	// Migrating lends a plain handle to the migration library, with the lock
	// that hosts starting together share. done ends both.
	Migrating(ctx context.Context) (db *sql.DB, done func(), err error)
	// Watch calls changed at the beginning, and after every change of bans or admins by
	// any program. It returns when ctx ends, the connection breaks or changed fails. The
	// caller begins anew from time to time: a half-dead connection notifies nobody.
	Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error
	// Close ends all connections.
	Close() error
}

// Queryer runs single statements.
type Queryer interface {
	// Exec returns how many rows were touched.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// Query calls each for every row.
	Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error
}

// Tx is a transaction.
type Tx interface {
	Queryer
	// Batch runs statements in order and then adds rows, in as few round trips
	// as it can. Rows that are there already are left as they are.
	Batch(ctx context.Context, statements []Statement, rows []Rows) error
	// OnPostgres runs a statement that SQLite does not need, since it has one writer
	// at a time and no planner to advise.
	OnPostgres(ctx context.Context, statement string, args ...any) error
}

// Statement is a query with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// Rows are new rows of one table.
type Rows struct {
	Table   string
	Columns []string
	Values  [][]any
}
