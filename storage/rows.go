package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"w3host/storage/internal/sqldb"
)

// list reads rows into a slice, which is never nil; see readRows.
func list[T any](ctx context.Context, d *Store, query string, args ...any) ([]T, error) {
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	var all []T
	if err := readRows(ctx, d.sql, &all, query, args...); err != nil {
		return nil, err
	}
	return all, nil
}

// readRows replaces the slice that to points to by the rows of a query. The
// fields of a struct are the columns, in order; slices are not among them, but
// for JSON. Any other type is the only column.
func readRows(ctx context.Context, q sqldb.Queryer, to any, query string, args ...any) error {
	all := reflect.ValueOf(to).Elem()
	all.Set(reflect.MakeSlice(all.Type(), 0, 0))
	return q.Query(ctx, query, args, func(scan sqldb.Scan) error {
		row := reflect.New(all.Type().Elem())
		if err := scan(columnsOf(row)...); err != nil {
			return err
		}
		all.Set(reflect.Append(all, row.Elem()))
		return nil
	})
}

// columnsOf is where Scan puts the columns of a row.
func columnsOf(row reflect.Value) (dest []any) {
	v := row.Elem()
	if v.Kind() != reflect.Struct {
		return []any{row.Interface()}
	}
	for i := range v.NumField() {
		switch field := v.Field(i).Addr().Interface().(type) {
		case *time.Time:
			dest = append(dest, at(field))
		case *time.Duration:
			dest = append(dest, ms{field})
		case *json.RawMessage:
			dest = append(dest, (*[]byte)(field))
		default:
			if v.Field(i).Kind() != reflect.Slice {
				dest = append(dest, field)
			}
		}
	}
	return dest
}

// at scans a time.
func at(t *time.Time) sqldb.Time { return sqldb.Time{To: t} }

// ms scans milliseconds into a duration.
type ms struct{ to *time.Duration }

func (m ms) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("milliseconds from %T", src)
	}
	*m.to = time.Duration(n) * time.Millisecond
	return nil
}
