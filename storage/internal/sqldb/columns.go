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

// Columns are the columns of a struct: its fields, and those of embedded structs,
// that a database can hold. The column of HostLate is host_late, or what a tag
// `db:"…"` says; "-" is none. That of a time.Duration ends in _ms.
func Columns(row any) (names []string) {
	for _, c := range columnsOf(reflect.TypeOf(row)) {
		names = append(names, c.name)
	}
	return names
}

// Values are the values of the columns, in their order.
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

var columnsByType sync.Map // reflect.Type to []column

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

// isStruct reports whether a type has columns rather than being one.
func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() && !reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]())
}

// snake is MapSHA1 as map_sha1.
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
