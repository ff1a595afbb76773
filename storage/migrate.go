package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"

	"w3host/migrations"
	"w3host/storage/internal/sqldb"
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

// MigrateUp applies all steps that are missing. ErrNewerSchema says that
// the database has steps this program does not know.
func (d *Store) MigrateUp(ctx context.Context) error {
	// The usual start finds nothing to do and takes no lock.
	state, err := d.schemaState(ctx)
	if err != nil || state.version == state.latest {
		return err
	}
	return d.migrating(ctx, func(p *goose.Provider) error {
		state, err := d.schemaState(ctx)
		if err == nil {
			err = state.mayMigrate(d.Kind())
		}
		if err != nil {
			return err
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

// MigrateDown takes the last step back and tells which.
func (d *Store) MigrateDown(ctx context.Context) (done Migration, err error) {
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

// Migrations lists the steps in order.
func (d *Store) Migrations(ctx context.Context) ([]Migration, error) {
	all, err := stepsOf(d.Kind())
	if err != nil {
		return nil, err
	}
	there, err := d.tables(ctx, schemaTable)
	if err != nil || there == 0 {
		return all, err
	}
	done, err := sqldb.List[struct {
		Version int64
		At      time.Time
	}](ctx, d.db, "SELECT version_id, tstamp FROM "+schemaTable+" WHERE is_applied ORDER BY id")
	for _, step := range done {
		for i := range all {
			if all[i].Version == step.Version {
				all[i].Applied, all[i].At = true, step.At
			}
		}
	}
	return all, err
}

// migrating runs do with the library, under the lock.
func (d *Store) migrating(ctx context.Context, do func(*goose.Provider) error) error {
	dialect := goose.DialectSQLite3
	if d.isPostgres() {
		dialect = goose.DialectPostgres
	}
	steps, err := migrations.For(d.Kind())
	if err != nil {
		return err
	}
	db, done, err := d.db.Migrating(ctx)
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

// schemaState is where the schema is.
type schemaState struct {
	version int64 // the last step done; zero for none
	latest  int64 // that this program knows
	foreign bool  // another program's tables are in the way of the first step
}

func (d *Store) schemaState(ctx context.Context) (s schemaState, err error) {
	steps, err := stepsOf(d.Kind())
	if err != nil {
		return s, err
	}
	s.latest = steps[len(steps)-1].Version
	there, err := d.tables(ctx, schemaTable)
	if err == nil && there > 0 {
		s.version, err = sqldb.One[int64](ctx, d.db, "SELECT coalesce(max(version_id), 0) FROM "+schemaTable)
	}
	if err == nil && s.version == 0 {
		there, err = d.tables(ctx, "games")
		s.foreign = there > 0
	}
	return s, err
}

// mayMigrate says why the missing steps must not be applied.
func (s schemaState) mayMigrate(dialect string) error {
	switch {
	case s.foreign && dialect == "postgres":
		return fmt.Errorf("%w: it names a database with a table \"games\" that is not w3host's; name another database, or another schema with ?search_path=NAME", ErrBadURL)
	case s.foreign:
		return fmt.Errorf("%w: it names a file with a table \"games\" that is not w3host's; name another file", ErrBadURL)
	case s.version > s.latest:
		return fmt.Errorf("%w: it is at step %d, this program knows %d; start the newer w3host, or take the steps back with its `w3host migrate down`",
			ErrNewerSchema, s.version, s.latest)
	}
	return nil
}

// tables counts the tables of a name where the program's own would be.
func (d *Store) tables(ctx context.Context, name string) (int, error) {
	query := "SELECT count(*) FROM sqlite_schema WHERE name = $1"
	if d.isPostgres() {
		query = "SELECT count(*) FROM pg_class WHERE oid = to_regclass($1)"
	}
	return sqldb.One[int](ctx, d.db, query, name)
}

// stepsOf lists the steps this program knows, in order.
func stepsOf(dialect string) ([]Migration, error) {
	steps, err := migrations.For(dialect)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(steps, "*.sql") // sorted
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no migrations for %s: %w", dialect, err)
	}
	all := make([]Migration, 0, len(names))
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		all = append(all, Migration{Version: version, Name: name})
	}
	return all, nil
}

func isOwnError(err error) bool {
	for _, own := range []error{ErrNotFound, ErrConflict, ErrUnavailable, ErrRejected, ErrNewerSchema, ErrNoDatabase, ErrBadURL} {
		if errors.Is(err, own) {
			return true
		}
	}
	return false
}
