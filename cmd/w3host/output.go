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

// list is the output of a command: a table for people, the values for programs.
type list struct {
	values  any // a slice of structs
	none    string
	heading string // separated by tabs
	rows    [][]string
}

// lists makes a command print what read returns, in a table with a row for each value.
func lists[T any](c *dbCall, none, heading string, read func(*storage.Store) ([]T, error), row func(T) []string) func(*storage.Store) error {
	return func(db *storage.Store) error {
		values, err := read(db)
		if err != nil {
			return err
		}
		return c.print(list{values, none, heading, rowsOf(values, row)})
	}
}

func rowsOf[T any](values []T, row func(T) []string) [][]string {
	rows := make([][]string, 0, len(values))
	for _, v := range values {
		rows = append(rows, row(v))
	}
	return rows
}

func (c *dbCall) addListFlags(fs *pflag.FlagSet) {
	c.addJSONFlag(fs, "print a JSON array")
	fs.BoolVar(&c.csv, "csv", false, "print comma separated values, with a line of names")
}

func (c *call) addJSONFlag(fs *pflag.FlagSet, usage string) {
	fs.BoolVar(&c.json, "json", false, usage)
}

// print prints a list as a table, JSON or CSV.
func (c *dbCall) print(l list) error {
	switch {
	case c.json && c.csv:
		return errors.New("choose --json or --csv")
	case c.json:
		return c.printJSON(l.values)
	case c.csv:
		return c.printCSV(l.values)
	case len(l.rows) == 0:
		fmt.Fprintln(c.stdout, l.none)
		return nil
	}
	return fittedTable(c.stdout, l.heading, l.rows)
}

func (c *call) printJSON(v any) error { return printJSON(c.stdout, v) }

// printJSON prints a value in JSON that cannot control a terminal.
func printJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(v); err != nil {
		return err
	}
	// Line breaks are between the values only; in a text they are escaped.
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, terminal.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// printCSV prints a slice of structs: a column for each field, named as in JSON. Fields
// that are slices are left out.
func (c *dbCall) printCSV(values any) error {
	out := csv.NewWriter(c.stdout)
	all := reflect.ValueOf(values)
	var names []string
	for _, f := range csvFields(all.Type().Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	if err := out.Write(names); err != nil {
		return err
	}
	for i := range all.Len() {
		var cells []string
		for _, f := range csvFields(all.Type().Elem()) {
			cells = append(cells, terminal.Printable(csvCell(all.Index(i).FieldByIndex(f.Index))))
		}
		if err := out.Write(cells); err != nil {
			return err
		}
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
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	if at, ok := v.Interface().(time.Time); ok {
		if at.IsZero() {
			return ""
		}
		return at.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v.Interface())
}

// table prints rows under a heading. Cells are escaped: names come from the network.
func table(out io.Writer, heading string, rows [][]string) error {
	escape(rows)
	return printLines(out, terminal.Table(strings.Split(heading, "\t"), rows))
}

// fittedTable is table within the width of the terminal.
func fittedTable(out io.Writer, heading string, rows [][]string) error {
	escape(rows)
	return printLines(out, terminal.TableIn(strings.Split(heading, "\t"), rows, terminal.Width(out)))
}

func escape(rows [][]string) {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = terminal.Printable(cell)
		}
	}
}

func printLines(out io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// hanging breaks lines between words where they are wider than the terminal that they go to,
// and goes on below the column where their text begins. Each Write is whole lines.
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
