// Package migrations holds the database schema as numbered steps, one
// directory per dialect. A number means the same change in both.
//
// Steps that have been released are never edited: a change is a new number,
// with its way back under "-- +goose Down".
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// For gives the steps of "postgres" or "sqlite", 00001_NAME.sql and so on, and their
// names in order.
func For(dialect string) (steps fs.FS, names []string) {
	steps, _ = fs.Sub(files, dialect)  // fails for what is no path alone
	names, _ = fs.Glob(steps, "*.sql") // and this for what is no pattern
	return steps, names
}
