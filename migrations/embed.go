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

// Dialects are the directories there are.
var Dialects = []string{"postgres", "sqlite"}

// For gives the steps of one of the Dialects.
func For(dialect string) (fs.FS, error) { return fs.Sub(files, dialect) }
