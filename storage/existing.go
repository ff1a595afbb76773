package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mustExist looks for a SQLite file without creating it.
func mustExist(url string, opts Options) error {
	path, isFile, err := fileOf(url)
	if !opts.MustExist || !isFile || err != nil {
		return err
	}
	_, err = os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return nil // whatever else is wrong, opening tells
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return fmt.Errorf("%w: there is no file %s; a host creates it when it starts", ErrNoDatabase, path)
}

// mustBeMigrated is MigrateUp for those who may not change the schema.
func (d *Store) mustBeMigrated(ctx context.Context) error {
	state, err := d.schemaState(ctx)
	if err == nil {
		err = state.mayMigrate(d.db.Dialect())
	}
	if err == nil && state.version < state.latest {
		err = fmt.Errorf("%w: its schema is at step %d of %d; a host, or migrate up, completes it", ErrNoDatabase, state.version, state.latest)
	}
	return err
}
