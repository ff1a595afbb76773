package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
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
	res, err := c.on.ExecContext(ctx, query, bound(args, c.textTimes)...)
	if err != nil {
		return 0, translate(err)
	}
	n, err := res.RowsAffected()
	return n, translate(err)
}

func (c conn) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	rows, err := c.on.QueryContext(ctx, query, bound(args, c.textTimes)...)
	if err != nil {
		return translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
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

// bound are arguments as a driver takes them: zero times are NULL, and other times
// text where the database holds text.
func bound(args []any, text bool) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case json.RawMessage:
			args[i] = string(v)
		case time.Time:
			switch {
			case v.IsZero():
				args[i] = nil
			case text:
				args[i] = v.UTC().Format(sqliteTime)
			default:
				args[i] = v.UTC()
			}
		}
	}
	return args
}
