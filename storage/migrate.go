package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"

	"w3host/migrations"
	"w3host/storage/internal/sqldb"
)

// schemaTable is the migration library's table of applied steps.
const schemaTable = "w3host_schema"

// Migration is one step of the schema.
type Migration struct {
	Version int64     `json:"version"`
	Name    string    `json:"name"`
	Applied bool      `json:"applied"`
	At      time.Time `json:"at,omitzero"`
}

// MigrateUp applies all missing steps. It returns ErrNewerSchema if the database has steps that this program
// does not know.
func (d *Store) MigrateUp(ctx context.Context) error {
	// Usually nothing is missing, and no lock is needed.
	state, err := d.schemaState(ctx)
	if err != nil {
		return err
	}
	if state.version == state.latest {
		return d.fillMapTotals(ctx)
	}
	err = d.migrating(ctx, func(p *goose.Provider) error {
		if _, err := d.mayMigrate(ctx); err != nil {
			return err
		}
		done, err := p.Up(ctx)
		if err != nil {
			return migrationFailed(err)
		}
		for _, m := range done {
			d.opts.Log.Info().Int64("step", m.Source.Version).Dur("took", m.Duration).Msg("database schema migrated")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.fillMapTotals(ctx)
}

// mustBeMigrated returns an error if steps are missing; it is used by programs that may not change the
// schema.
func (d *Store) mustBeMigrated(ctx context.Context) error {
	state, err := d.mayMigrate(ctx)
	if err == nil && state.version < state.latest {
		err = fmt.Errorf("%w: its schema is at step %d of %d; a host, or w3host db migrate up, completes it", ErrNoDatabase, state.version, state.latest)
	}
	return err
}

// MigrateDown reverses the last step and returns it.
func (d *Store) MigrateDown(ctx context.Context) (done Migration, err error) {
	err = d.migrating(ctx, func(p *goose.Provider) error {
		res, err := p.Down(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return fmt.Errorf("%w: there is no step left to undo", ErrNotFound)
		}
		if err != nil {
			return migrationFailed(err)
		}
		done = Migration{Version: res.Source.Version, Name: res.Source.Path}
		d.ready.Store(false)
		return nil
	})
	return done, err
}

// Migrations returns all steps in order.
func (d *Store) Migrations(ctx context.Context) ([]Migration, error) {
	_, names := migrations.For(d.Kind())
	all := make([]Migration, len(names))
	for i, name := range names {
		all[i] = Migration{Version: int64(i + 1), Name: name}
	}
	there, err := d.tables(ctx, schemaTable)
	if err != nil || there == 0 {
		return all, err
	}
	done, err := sqldb.List[struct {
		Version int64     `db:"version_id"`
		At      time.Time `db:"tstamp"`
	}](ctx, d.db, "SELECT version_id, tstamp FROM "+schemaTable+" WHERE is_applied AND version_id BETWEEN 1 AND $1 ORDER BY id", len(all))
	for _, step := range done {
		all[step.Version-1].Applied, all[step.Version-1].At = true, step.At
	}
	return all, err
}

// migrating runs do with the migration library, under the migration lock.
func (d *Store) migrating(ctx context.Context, do func(*goose.Provider) error) error {
	dialect := goose.DialectSQLite3
	if d.isPostgres() {
		dialect = goose.DialectPostgres
	}
	files, _ := migrations.For(d.Kind())
	db, done, err := d.db.Migrating(ctx)
	if err != nil {
		return err
	}
	defer done()
	p, err := goose.NewProvider(dialect, db, files,
		goose.WithTableName(schemaTable), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	return do(p)
}

// migrationFailed adds the step that failed to an error.
func migrationFailed(err error) error {
	step := ""
	if failed, ok := errors.AsType[*goose.PartialError](err); ok && failed.Failed != nil && failed.Failed.Source != nil {
		step = " at " + failed.Failed.Source.Path
	}
	return fmt.Errorf("migrate the database%s: %w", step, sqldb.Translate(err))
}

// schemaState is the state of the schema.
type schemaState struct {
	version int64 // last applied step, or 0
	latest  int64 // latest step that this program knows
	foreign bool  // tables of another program are in the way
}

func (d *Store) schemaState(ctx context.Context) (s schemaState, err error) {
	_, names := migrations.For(d.Kind())
	s.latest = int64(len(names))
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

// mayMigrate returns an error if the missing steps must not be applied.
func (d *Store) mayMigrate(ctx context.Context) (schemaState, error) {
	s, err := d.schemaState(ctx)
	switch {
	case err != nil:
	case s.foreign && d.isPostgres():
		err = fmt.Errorf("%w: it names a database with a table \"games\" that is not w3host's; name another database, or another schema with ?search_path=NAME", ErrBadURL)
	case s.foreign:
		err = fmt.Errorf("%w: it names a file with a table \"games\" that is not w3host's; name another file", ErrBadURL)
	case s.version > s.latest:
		err = fmt.Errorf("%w: it is at step %d, this program knows %d; start the newer w3host, or take the steps back with its `w3host db migrate down`",
			ErrNewerSchema, s.version, s.latest)
	}
	return s, err
}

// tables returns the number of tables with the given name in the program's schema.
func (d *Store) tables(ctx context.Context, name string) (int, error) {
	query := "SELECT count(*) FROM sqlite_schema WHERE name = $1"
	if d.isPostgres() {
		query = "SELECT count(*) FROM pg_class WHERE oid = to_regclass($1)"
	}
	return sqldb.One[int](ctx, d.db, query, name)
}
