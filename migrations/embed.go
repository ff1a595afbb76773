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

// For gives the steps of "postgres" or "sqlite", 00001_NAME.sql and so on.
func For(dialect string) (fs.FS, error) { return fs.Sub(files, dialect) }
