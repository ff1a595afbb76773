package sqldb

import (
	"database/sql"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Columns returns the column names of a struct: its fields and those of embedded structs, except slices. The
// field HostLate has the column host_late, or the name in a tag `db:"…"`; "-" excludes it. Columns of
// time.Duration fields end in _ms.
func Columns(row any) (names []string) {
	for _, c := range columnsOf(reflect.TypeOf(row)) {
		names = append(names, c.name)
	}
	return names
}

// Values returns the values of a struct's columns, in the order of Columns.
func Values(row any) []any {
	v := reflect.ValueOf(row)
	columns := columnsOf(v.Type())
	values := make([]any, len(columns))
	for i, c := range columns {
		values[i] = v.FieldByIndex(c.index).Interface()
		if d, ok := values[i].(time.Duration); ok {
			values[i] = d.Milliseconds()
		}
	}
	return values
}

type column struct {
	name  string
	index []int
}

var columnsByType sync.Map // maps reflect.Type to []column

func columnsOf(t reflect.Type) []column {
	if known, ok := columnsByType.Load(t); ok {
		return known.([]column)
	}
	var columns []column
	for _, f := range reflect.VisibleFields(t) {
		name, tagged := f.Tag.Lookup("db")
		if !tagged {
			name = snake(f.Name)
			if f.Type == reflect.TypeFor[time.Duration]() {
				name += "_ms"
			}
		}
		list := f.Type.Kind() == reflect.Slice && f.Type != reflect.TypeFor[json.RawMessage]()
		if name != "-" && !f.Anonymous && !list {
			columns = append(columns, column{name, f.Index})
		}
	}
	columnsByType.Store(t, columns)
	return columns
}

// isStruct reports whether a type is a row of several columns rather than a single value.
func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() && !reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]())
}

// snake converts a field name to a column name: MapSHA1 becomes map_sha1.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
