package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// handle is a *sql.DB, *sql.Conn or *sql.Tx.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// conn is a Queryer on a handle.
type conn struct {
	on        handle
	textTimes bool // the database holds times as text
}

func (c conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := c.on.ExecContext(ctx, query, timeArgs(args, c.textTimes)...)
	if err != nil {
		return 0, translate(err)
	}
	n, err := res.RowsAffected()
	return n, translate(err)
}

func (c conn) Query(ctx context.Context, query string, args []any, each func(Scan) error) error {
	rows, err := c.on.QueryContext(ctx, query, timeArgs(args, c.textTimes)...)
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

// inTx runs do in a transaction, of which it gets the connection, too.
func inTx(ctx context.Context, db *sql.DB, do func(*sql.Conn, *sql.Tx) error) error {
	on, err := db.Conn(ctx)
	if err != nil {
		return translate(err)
	}
	defer on.Close()
	tx, err := on.BeginTx(ctx, nil)
	if err != nil {
		return translate(err)
	}
	if err := do(on, tx); err != nil {
		_ = tx.Rollback() // the first error is the cause
		return translate(err)
	}
	return translate(tx.Commit())
}

// sqliteTime is how SQLite holds times: sortable, read by its date functions.
const sqliteTime = "2006-01-02T15:04:05.000Z"

// timeArgs makes zero times NULL; text makes the others text.
func timeArgs(args []any, text bool) []any {
	for i, arg := range args {
		at, ok := arg.(time.Time)
		switch {
		case !ok:
		case at.IsZero():
			args[i] = nil
		case text:
			args[i] = at.UTC().Format(sqliteTime)
		default:
			args[i] = at.UTC()
		}
	}
	return args
}
