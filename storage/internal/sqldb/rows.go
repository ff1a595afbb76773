package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// List returns the rows of a query as a slice, which is never nil. For a struct type, each column is stored
// in the field with its name, see [Columns]; NULL leaves the field unchanged. For []string, all columns must
// be text. Other types take a single column.
func List[T any](ctx context.Context, q Queryer, query string, args ...any) ([]T, error) {
	var all []T
	if err := Fill(ctx, q, &all, query, args...); err != nil {
		return nil, err
	}
	return all, nil
}

// Fill is like List for the slice that to points to.
func Fill(ctx context.Context, q Queryer, to any, query string, args ...any) error {
	all := reflect.ValueOf(to).Elem()
	all.Set(reflect.MakeSlice(all.Type(), 0, 0))
	return q.Query(ctx, query, args, func(rows *sql.Rows) error {
		row := reflect.New(all.Type().Elem()).Elem()
		if err := scan(rows, row); err != nil {
			return err
		}
		all.Set(reflect.Append(all, row))
		return nil
	})
}

// One returns the first row of a query, as List does, or ErrNotFound.
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

func scan(rows *sql.Rows, row reflect.Value) error {
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	if texts, ok := row.Addr().Interface().(*[]string); ok {
		*texts = make([]string, len(names))
		dest := make([]any, len(names))
		for i := range dest {
			dest[i] = &(*texts)[i]
		}
		return rows.Scan(dest...)
	}
	fields, dest, values := make([]reflect.Value, len(names)), make([]any, len(names)), make([]reflect.Value, len(names))
	for i, name := range names {
		if fields[i], err = fieldOf(row, name); err != nil {
			return err
		}
		switch to := fields[i].Addr().Interface().(type) {
		case *time.Time:
			dest[i] = timeColumn{to}
		case *time.Duration:
			dest[i] = millisColumn{to}
		case *json.RawMessage:
			dest[i] = (*[]byte)(to)
		case sql.Scanner:
			dest[i] = to
		default: // a pointer can hold NULL
			values[i] = reflect.New(reflect.PointerTo(fields[i].Type()))
			dest[i] = values[i].Interface()
		}
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	for i, value := range values {
		if value.IsValid() && !value.Elem().IsNil() {
			fields[i].Set(value.Elem().Elem())
		}
	}
	return nil
}

// fieldOf returns the field of a row for a column.
func fieldOf(row reflect.Value, name string) (reflect.Value, error) {
	if !isStruct(row.Type()) {
		return row, nil
	}
	for _, c := range columnsOf(row.Type()) {
		if c.name == name {
			return row.FieldByIndex(c.index), nil
		}
	}
	return row, fmt.Errorf("%v has no field for the column %s", row.Type(), name)
}

// timeColumn scans a time from either database; NULL becomes the zero time.
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
		for _, layout := range []string{time.RFC3339, time.DateTime} { // the migration library stores times without a zone
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
