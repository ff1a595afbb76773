package storage

import (
	"context"
	"database/sql"

	"w3host/storage/internal/sqldb"
)

// Explain has each query explained before it is asked: told gets its plan, line by line.
func (d *Store) Explain(told func(query, line string)) { d.db = explained{d.db, told} }

type explained struct {
	sqldb.DB
	told func(query, line string)
}

func (e explained) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	explain := map[string]string{"sqlite": "EXPLAIN QUERY PLAN ", "postgres": "EXPLAIN "}[e.Dialect()]
	err := e.DB.Query(ctx, explain+query, args, func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		cells, dest := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		e.told(query, cells[len(cells)-1].String) // the last column is the text
		return nil
	})
	if err != nil {
		return err
	}
	return e.DB.Query(ctx, query, args, each)
}
