// Command logbench measures the queries of the game log in a large Postgres
// database. It prints a table for docs/benchmarks.md.
//
//	scripts/with-postgres.sh go run ./internal/logbench --games 1000000
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"w3host/storage"
)

func main() {
	url := flag.String("url", os.Getenv("W3HOST_TEST_POSTGRES_URL"), "an empty database")
	games := flag.Int("games", 100_000, "how many, with ten players each")
	flag.Parse()
	if err := run(context.Background(), *url, *games); err != nil {
		fmt.Fprintln(os.Stderr, "logbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string, games int) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	db, err := storage.Open(ctx, url, storage.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := timed(fmt.Sprintf("%d games", games), func() error { return fill(ctx, conn, games) }); err != nil {
		return err
	}
	fmt.Println("\n| query | |\n|---|---|")
	for _, q := range queries {
		took := measure(func() error {
			if q.call != nil {
				return q.call(ctx, db)
			}
			return each(ctx, conn, []string{q.sql})
		})
		fmt.Printf("| %s | %s |\n", q.name, took)
	}
	return nil
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
