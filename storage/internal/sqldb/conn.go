package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// handle is a *sql.DB, *sql.Conn or *sql.Tx.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// conn implements Queryer on a handle.
type conn struct {
	on       handle
	postgres bool
}

// inList matches the way statements test for membership in a list; Postgres uses an array instead.
var inList = regexp.MustCompile(`IN \(SELECT value FROM json_each\((\$\d)\)\)`)

// prepared returns the statement and arguments for the driver. On Postgres it converts lists to arrays, so
// that the planner uses an index whatever it guesses about the list's length.
func (c conn) prepared(query string, args []any) (string, []any) {
	if c.postgres {
		query = inList.ReplaceAllString(query, "= ANY ($1)")
	}
	return query, driverArgs(args, c.postgres)
}

func (c conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	query, args = c.prepared(query, args)
	res, err := c.on.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, translate(err)
	}
	n, err := res.RowsAffected()
	return n, translate(err)
}

func (c conn) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	query, args = c.prepared(query, args)
	rows, err := c.on.QueryContext(ctx, query, args...)
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

// inTx runs do in a transaction and passes it the connection as well.
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
		_ = tx.Rollback() // the first error is the relevant one
		return translate(err)
	}
	return translate(tx.Commit())
}

// sqliteTime is the format of times in SQLite: sortable and understood by its date functions.
const sqliteTime = "2006-01-02T15:04:05.000Z"

// driverArgs converts arguments for a driver. Zero times become NULL; SQLite gets times as text and lists as JSON.
func driverArgs(args []any, postgres bool) []any {
	args = slices.Clone(args)
	for i, arg := range args {
		switch v := arg.(type) {
		case json.RawMessage:
			args[i] = string(v)
		case []string:
			args[i] = listText(v, postgres)
		case time.Time:
			switch {
			case v.IsZero():
				args[i] = nil
			case postgres:
				args[i] = v.UTC()
			default:
				args[i] = v.UTC().Format(sqliteTime)
			}
		}
	}
	return args
}

var arrayEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// listText encodes a list as a Postgres array or as JSON.
func listText(list []string, postgres bool) string {
	if !postgres {
		text, _ := json.Marshal(append([]string{}, list...)) // cannot fail for strings
		return string(text)
	}
	var b strings.Builder
	for _, text := range list {
		b.WriteString(`,"` + arrayEscapes.Replace(text) + `"`)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}
