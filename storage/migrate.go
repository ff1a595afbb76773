package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"

	"w3host/migrations"
)

// schemaTable is where the migration library notes what is done.
const schemaTable = "w3host_schema"

// Migration is one step of the schema.
type Migration struct {
	Version int64     `json:"version"`
	Name    string    `json:"name"`
	Applied bool      `json:"applied"`
	At      time.Time `json:"at,omitzero"`
}

// Migrator moves the schema. One host at a time: others wait for their turn.
type Migrator interface {
	// MigrateUp applies all steps that are missing. ErrNewerSchema says that
	// the database has steps this program does not know.
	MigrateUp(ctx context.Context) error
	// MigrateDown takes the last step back and tells which.
	MigrateDown(ctx context.Context) (Migration, error)
	// Migrations lists the steps in order.
	Migrations(ctx context.Context) ([]Migration, error)
}

func (d *database) MigrateUp(ctx context.Context) error {
	latest, err := latestMigration(d.sql.Dialect())
	if err != nil {
		return err
	}
	// The usual start finds nothing to do and takes no lock.
	version, err := d.schemaVersion(ctx)
	if err != nil || version == latest {
		return err
	}
	return d.migrating(ctx, func(p *goose.Provider) error {
		if version, err = d.schemaVersion(ctx); err != nil {
			return err
		}
		if version > latest {
			return fmt.Errorf("%w: it is at step %d, this program knows %d; start the newer w3host, or take the steps back with its `w3host migrate down`",
				ErrNewerSchema, version, latest)
		}
		done, err := p.Up(ctx)
		if err != nil {
			return err
		}
		for _, m := range done {
			d.log.Info().Int64("step", m.Source.Version).Dur("took", m.Duration).Msg("database schema migrated")
		}
		return nil
	})
}

func (d *database) MigrateDown(ctx context.Context) (done Migration, err error) {
	err = d.migrating(ctx, func(p *goose.Provider) error {
		res, err := p.Down(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return fmt.Errorf("%w: no step is left to take back", ErrNotFound)
		}
		if err == nil {
			done = Migration{Version: res.Source.Version, Name: res.Source.Path}
			d.ready.Store(false)
		}
		return err
	})
	return done, err
}

func (d *database) Migrations(ctx context.Context) (all []Migration, err error) {
	if version, err := d.schemaVersion(ctx); err != nil || version == 0 {
		return d.missing(), err // the library would create its table
	}
	err = d.migrating(ctx, func(p *goose.Provider) error {
		status, err := p.Status(ctx)
		for _, s := range status {
			all = append(all, Migration{s.Source.Version, s.Source.Path, s.State == goose.StateApplied, s.AppliedAt})
		}
		return err
	})
	return all, err
}

// migrating runs do with the library, under the lock.
func (d *database) migrating(ctx context.Context, do func(*goose.Provider) error) error {
	dialect, err := dialectOf(d.sql.Dialect())
	if err != nil {
		return err
	}
	steps, err := migrations.For(d.sql.Dialect())
	if err != nil {
		return err
	}
	db, done, err := d.sql.Migrating(ctx)
	if err != nil {
		return err
	}
	defer done()
	p, err := goose.NewProvider(dialect, db, steps,
		goose.WithTableName(schemaTable), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if err := do(p); err != nil {
		if isOwnError(err) {
			return err
		}
		return fmt.Errorf("%w: migrate: %v", ErrUnavailable, err) //nolint:errorlint // a driver's error ends here
	}
	return nil
}

// schemaVersion reads the last step done; zero for a new database.
func (d *database) schemaVersion(ctx context.Context) (version int64, err error) {
	var found int
	err = d.sql.One(ctx, schemaTableExists[d.sql.Dialect()], nil, &found)
	if err != nil || found == 0 {
		return 0, err
	}
	err = d.sql.One(ctx, "SELECT coalesce(max(version_id), 0) FROM "+schemaTable, nil, &version)
	return version, err
}

var schemaTableExists = map[string]string{
	"postgres": "SELECT count(*) FROM pg_class WHERE oid = to_regclass('" + schemaTable + "')",
	"sqlite":   "SELECT count(*) FROM sqlite_schema WHERE name = '" + schemaTable + "'",
}

func latestMigration(dialect string) (int64, error) {
	steps, err := migrations.For(dialect)
	if err != nil {
		return 0, err
	}
	names, err := fs.Glob(steps, "*.sql")
	if err != nil || len(names) == 0 {
		return 0, fmt.Errorf("no migrations for %s: %w", dialect, err)
	}
	return goose.NumericComponent(names[len(names)-1]) // Glob sorts
}

func dialectOf(name string) (goose.Dialect, error) {
	switch name {
	case "postgres":
		return goose.DialectPostgres, nil
	case "sqlite":
		return goose.DialectSQLite3, nil
	}
	return "", fmt.Errorf("no migrations for %s", name)
}

func isOwnError(err error) bool {
	for _, own := range []error{ErrNotFound, ErrConflict, ErrUnavailable, ErrRejected, ErrNewerSchema, ErrNoDatabase, ErrBadURL} {
		if errors.Is(err, own) {
			return true
		}
	}
	return false
}
