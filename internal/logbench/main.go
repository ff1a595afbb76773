// Command logbench measures the queries of the game log in a large Postgres
// database, before and after its migration from step 3 of the schema, and the
// migration itself. It prints a table for docs/benchmarks.md.
//
//	scripts/with-postgres.sh go run ./internal/logbench --games 1000000
//
// With --today it makes the games as today's host would have left them, and measures
// after the migration only; with --before, before it only: migrating a million games
// takes long.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // for the migration library
	"github.com/pressly/goose/v3"

	"w3host/migrations"
	"w3host/storage"
)

// patience is how long a query may take.
const patience = "120s"

func main() {
	url := flag.String("url", os.Getenv("W3HOST_TEST_POSTGRES_URL"), "an empty database")
	games := flag.Int("games", 100_000, "how many, with ten players each")
	today := flag.Bool("today", false, "only today's schema")
	past := flag.Bool("before", false, "only the schema of step 3")
	flag.Parse()
	if err := run(context.Background(), *url, *games, *today, *past); err != nil {
		fmt.Fprintln(os.Stderr, "logbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string, games int, today, past bool) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if !today {
		if err := step3(ctx, url); err != nil {
			return err
		}
	}
	db, err := storage.Open(ctx, url, storage.Options{LeaveSchema: true})
	if err != nil {
		return err
	}
	defer db.Close()
	if today {
		if err := db.MigrateUp(ctx); err != nil {
			return err
		}
	}
	if err := timed(fmt.Sprintf("%d games", games), func() error { return fill(ctx, conn, games, today) }); err != nil {
		return err
	}
	before := make([]string, len(queries))
	if !today {
		for i, q := range queries {
			before[i] = measure(func() error { return old(ctx, conn, q.before) })
			fmt.Printf("| %s | %s |\n", q.name, before[i])
		}
		if past {
			return nil
		}
		if err := migrate(ctx, conn, db); err != nil {
			return err
		}
	}
	fmt.Println("\n| query | before | after |\n|---|---|---|")
	for i, q := range queries {
		after := measure(func() error {
			if q.call != nil {
				return q.call(ctx, db)
			}
			return each(ctx, conn, []string{q.after})
		})
		fmt.Printf("| %s | %s | %s |\n", q.name, before[i], after)
	}
	return nil
}

// migrate does what "w3host migrate up" does.
func migrate(ctx context.Context, conn *pgx.Conn, db *storage.Store) error {
	if err := timed("schema steps", func() error { return db.MigrateUp(ctx) }); err != nil {
		return err
	}
	err := timed("carrying over", func() error {
		_, err := db.CarryOver(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return errors.Join(err, conn.DeallocateAll(ctx)) // they were planned for the old schema
}

// step3 creates the schema of step 3.
func step3(ctx context.Context, url string) error {
	steps, err := migrations.For("postgres")
	if err != nil {
		return err
	}
	db, err := goose.OpenDBWithDriver("pgx", url)
	if err != nil {
		return err
	}
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, steps, goose.WithTableName("w3host_schema"))
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, 3)
	return err
}

func timed(what string, do func() error) error {
	began := time.Now()
	err := do()
	fmt.Printf("%s: %.1f s\n", what, time.Since(began).Seconds())
	return err
}

// measure is the median of five runs after a warm-up, or one run if that is slow.
func measure(do func() error) string {
	var took []time.Duration
	for len(took) < 6 {
		began := time.Now()
		if err := do(); err != nil {
			return fmt.Sprintf("cancelled after %.0f s (%v)", time.Since(began).Seconds(), err)
		}
		took = append(took, time.Since(began))
		if took[0] > 20*time.Second {
			break
		}
	}
	took = took[min(1, len(took)-1):]
	slices.Sort(took)
	return fmt.Sprintf("%.1f ms", took[len(took)/2].Seconds()*1e3)
}

// old runs the queries of before the migration, with a timeout.
func old(ctx context.Context, conn *pgx.Conn, statements []string) error {
	if _, err := conn.Exec(ctx, "SET statement_timeout = '"+patience+"'"); err != nil {
		return err
	}
	err := each(ctx, conn, statements)
	_, reset := conn.Exec(ctx, "SET statement_timeout = 0")
	return errors.Join(err, reset)
}

func each(ctx context.Context, conn *pgx.Conn, statements []string) error {
	for _, s := range statements {
		rows, err := conn.Query(ctx, s)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		if rows.Close(); rows.Err() != nil {
			return rows.Err()
		}
	}
	return nil
}
