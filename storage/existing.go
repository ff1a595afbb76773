package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pressly/goose/v3"

	"w3host/migrations"
)

// mustExist looks for a SQLite file without creating it.
func mustExist(url string, opts Options) error {
	path, lite := strings.CutPrefix(url, "sqlite:")
	path = strings.TrimPrefix(path, "//")
	if !opts.MustExist || !lite || path == "" {
		return nil
	}
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return nil // whatever else is wrong, opening tells
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return fmt.Errorf("%w: there is no file %s; a host creates it when it starts", ErrNoDatabase, path)
}

// mustBeMigrated is MigrateUp for those who may not change the schema.
func (d *database) mustBeMigrated(ctx context.Context) error {
	latest, err := latestMigration(d.sql.Dialect())
	if err != nil {
		return err
	}
	switch version, err := d.schemaVersion(ctx); {
	case err != nil:
		return err
	case version > latest:
		return d.MigrateUp(ctx) // which says so
	case version < latest:
		return fmt.Errorf("%w: its schema is at step %d of %d; a host, or migrate up, completes it", ErrNoDatabase, version, latest)
	}
	return nil
}

// missing lists the steps of a database that has none of them.
func (d *database) missing() (all []Migration) {
	steps, err := migrations.For(d.sql.Dialect())
	if err != nil {
		return nil
	}
	names, _ := fs.Glob(steps, "*.sql") // the pattern is right
	for _, name := range names {
		if version, err := goose.NumericComponent(name); err == nil {
			all = append(all, Migration{Version: version, Name: name})
		}
	}
	return all
}
