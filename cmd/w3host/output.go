package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"w3host/internal/terminal"
	"w3host/storage"
)

// lists returns the action of a command that reads values from the database and prints them as JSON, CSV or a table;
// none is printed for an empty table.
func lists[T any](c *dbCall, none, heading string, read func(*storage.Store) ([]T, error), row func(T) []string) func(*storage.Store) error {
	return func(db *storage.Store) error {
		values, err := read(db)
		return printList(&c.call, values, err, none, heading, row)
	}
}

// printList prints values as JSON or CSV if these flags are set, and otherwise as a table. It prints none in place of an
// empty table.
func printList[T any](c *call, values []T, err error, none, heading string, row func(T) []string) error {
	switch {
	case err != nil:
		return err
	case c.json || c.csv:
		return c.printValues(values)
	case len(values) == 0 && none != "":
		fmt.Fprintln(c.stdout, none)
		return nil
	}
	return fittedTable(c.stdout, heading, mapped(values, row))
}

// mapped applies of to each value. The result is never nil, so that it encodes as [] in JSON.
func mapped[T, U any](values []T, of func(T) U) []U {
	list := make([]U, 0, len(values))
	for _, v := range values {
		list = append(list, of(v))
	}
	return list
}

func (c *dbCall) addListFlags(fs *pflag.FlagSet) {
	c.addJSONFlag(fs, "print a JSON array")
	fs.BoolVar(&c.csv, "csv", false, "print comma-separated values with a header line")
}

func (c *call) addJSONFlag(fs *pflag.FlagSet, usage string) {
	fs.BoolVar(&c.json, "json", false, usage)
}

// printValues prints a slice of structs as JSON or CSV.
func (c *call) printValues(values any) error {
	switch {
	case c.json && c.csv:
		return errors.New("choose either --json or --csv")
	case c.json:
		return printJSON(c.stdout, values)
	}
	return c.printCSV(values)
}

// printJSON prints a value as indented JSON, with control characters escaped so that it is safe on a terminal.
func printJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(v); err != nil {
		return err
	}
	// The encoder escapes line breaks in strings, so these lines are its own.
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, terminal.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// printCSV prints a slice of structs with one column per field, named by its JSON tag. It omits fields that are slices.
func (c *call) printCSV(values any) error {
	out := csv.NewWriter(c.stdout)
	all := reflect.ValueOf(values)
	fields := csvFields(all.Type().Elem())
	cells := make([]string, len(fields))
	for i, f := range fields {
		cells[i], _, _ = strings.Cut(f.Tag.Get("json"), ",")
	}
	_ = out.Write(cells) // out.Error returns the first error below
	for row := range all.Len() {
		for i, f := range fields {
			cells[i] = terminal.Printable(csvCell(all.Index(row).FieldByIndex(f.Index)))
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

func csvFields(t reflect.Type) (fields []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("json") != "" && f.Type.Kind() != reflect.Slice {
			fields = append(fields, f)
		}
	}
	return fields
}

func csvCell(v reflect.Value) string {
	at, isTime := v.Interface().(time.Time)
	switch {
	case !isTime:
		return fmt.Sprint(v.Interface())
	case at.IsZero():
		return ""
	}
	return at.Format(time.RFC3339Nano)
}

// table prints rows under a tab-separated heading. It escapes control characters in the cells, because names come from
// the network.
func table(out io.Writer, heading string, rows [][]string) error {
	return tableIn(out, heading, rows, 0)
}

// fittedTable is table, shortened to the width of the terminal.
func fittedTable(out io.Writer, heading string, rows [][]string) error {
	return tableIn(out, heading, rows, terminal.Width(out))
}

func tableIn(out io.Writer, heading string, rows [][]string, width int) error {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = terminal.Printable(cell)
		}
	}
	for _, line := range terminal.TableIn(strings.Split(heading, "\t"), rows, width) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// sheet is what people read of one file: a line for each key.
type sheet struct {
	shown func(string) string // makes a text safe for a terminal
	rows  [][2]string
}

func (s *sheet) row(key, format string, args ...any) {
	s.rows = append(s.rows, [2]string{key, s.shown(fmt.Sprintf(format, args...))})
}

func (s *sheet) print(w io.Writer) error {
	column := 0
	for _, r := range s.rows {
		column = max(column, len(r[0])+2)
	}
	for _, r := range s.rows {
		if _, err := fmt.Fprintln(hanging{w, column}, terminal.Pad(r[0], column)+r[1]); err != nil {
			return err
		}
	}
	return nil
}

// either returns first if so is true, otherwise second.
func either[T any](so bool, first, second T) T {
	if so {
		return first
	}
	return second
}

// hanging is a writer that wraps lines at the width of the terminal behind it and indents continuation lines to column.
// Each Write must contain whole lines.
type hanging struct {
	io.Writer
	column int
}

func (h hanging) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		b.WriteString(terminal.Hang(line, h.column, terminal.Width(h.Writer)))
	}
	if _, err := io.WriteString(h.Writer, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
