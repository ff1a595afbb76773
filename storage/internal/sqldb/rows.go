package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"time"
)

// List reads the rows of a query into a slice, which is never nil. The fields of
// a struct, and of structs embedded in it, are the columns, in order; addresses,
// networks and slices are not among them, but for JSON. Durations are in
// milliseconds.
// Any other type is the only column.
func List[T any](ctx context.Context, q Queryer, query string, args ...any) ([]T, error) {
	var all []T
	if err := Fill(ctx, q, &all, query, args...); err != nil {
		return nil, err
	}
	return all, nil
}

// Fill is List for the slice that to points to.
func Fill(ctx context.Context, q Queryer, to any, query string, args ...any) error {
	all := reflect.ValueOf(to).Elem()
	all.Set(reflect.MakeSlice(all.Type(), 0, 0))
	return q.Query(ctx, query, args, func(scan Scan) error {
		row := reflect.New(all.Type().Elem()).Elem()
		if err := scan(columnsOf(row)...); err != nil {
			return err
		}
		all.Set(reflect.Append(all, row))
		return nil
	})
}

// One reads the only row of a query, as List does, or returns ErrNotFound.
func One[T any](ctx context.Context, q Queryer, query string, args ...any) (row T, err error) {
	all, err := List[T](ctx, q, query, args...)
	if err == nil && len(all) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return row, err
	}
	return all[0], nil
}

// columnsOf is where Scan puts the columns of a row.
func columnsOf(v reflect.Value) (dest []any) {
	switch to := v.Addr().Interface().(type) {
	case *time.Time:
		return []any{timeColumn{to}}
	case *time.Duration:
		return []any{millisColumn{to}}
	case *json.RawMessage:
		return []any{(*[]byte)(to)}
	case *netip.Prefix, *netip.Addr:
		return nil
	case sql.Scanner:
		return []any{to}
	}
	switch v.Kind() {
	case reflect.Slice:
		return nil
	case reflect.Struct:
		for i := range v.NumField() {
			dest = append(dest, columnsOf(v.Field(i))...)
		}
		return dest
	}
	return []any{v.Addr().Interface()}
}

// timeColumn scans a time of either database; NULL is the zero time.
type timeColumn struct{ to *time.Time }

func (t timeColumn) Scan(src any) (err error) {
	switch v := src.(type) {
	case nil:
		*t.to = time.Time{}
		return nil
	case time.Time:
		*t.to = v.UTC()
		return nil
	case string:
		for _, layout := range []string{time.RFC3339, time.DateTime} { // the migration library's is without a zone
			if *t.to, err = time.Parse(layout, v); err == nil {
				*t.to = t.to.UTC()
				return nil
			}
		}
		return fmt.Errorf("time %q: %w", v, err)
	}
	return fmt.Errorf("time from %T", src)
}

// millisColumn scans milliseconds into a duration.
type millisColumn struct{ to *time.Duration }

func (m millisColumn) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return errors.New("milliseconds are not a whole number")
	}
	*m.to = time.Duration(n) * time.Millisecond
	return nil
}
