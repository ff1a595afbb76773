package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"w3host/internal/terminal"
	"w3host/storage"
)

const migrateHelp = `w3host migrate moves the schema of the database; without a sub-command it does what up
does. A host does the same by itself when it starts; with a large log, do it before,
beside the hosts that run.`

func migrateCommand() *cobra.Command {
	c, cmd := newDBCommand("migrate", "move the schema of the database, or show where it is", migrateHelp)
	fs := cmd.PersistentFlags()
	yes := fs.Bool("yes", false, "with down: do not ask")
	force := fs.Bool("force", false, "with down: also the first step, which deletes all that is stored")
	c.addJSONFlag(fs, "with status: print a JSON array")
	opts := storage.Options{LeaveSchema: true}
	mayCreate := func() error { c.create = true; return nil }
	up := &cobra.Command{Use: "up", Short: "apply all steps that are missing, and carry old rows over", Args: noArgs}
	down := &cobra.Command{Use: "down", Short: "take the last step back, to go back to an older w3host"}
	status := &cobra.Command{Use: "status", Short: "list the steps"}
	group(cmd, c.does(up, opts, mayCreate, c.migrateUp),
		c.does(down, opts, c.none, func(db *storage.Store) error { return c.migrateDown(db, *force, *yes) }),
		c.does(status, opts, c.none, lists(c, "No steps.", "STEP\tFILE\tSTATE",
			func(db *storage.Store) ([]storage.Migration, error) { return db.Migrations(c.ctx) }, migrationRow)))
	cmd.Use = "migrate [COMMAND]"
	return c.does(cmd, opts, mayCreate, c.migrateUp)
}

func (c *dbCall) migrateUp(db *storage.Store) error {
	before, err := appliedSteps(c.ctx, db)
	if err != nil {
		return err
	}
	if err := db.MigrateUp(c.ctx); err != nil {
		return err
	}
	after, err := appliedSteps(c.ctx, db)
	if err != nil {
		return err
	}
	told := time.Now()
	rows, err := db.CarryOver(c.ctx, func(rows int64) {
		if time.Since(told) > carryReports {
			told = time.Now()
			fmt.Fprintf(c.stdout, "%d rows are carried over …\n", rows)
		}
	})
	if err != nil {
		return err
	}
	switch {
	case before == after && rows == 0:
		fmt.Fprintf(c.stdout, "Nothing to do: the schema is at step %d.\n", after)
	case rows == 0:
		fmt.Fprintf(c.stdout, "The schema is now at step %d.\n", after)
	default:
		fmt.Fprintf(c.stdout, "The schema is now at step %d; %d rows are carried over.\n", after, rows)
	}
	return nil
}

// carryReports is the interval of progress reports.
const carryReports = 5 * time.Second

func (c *dbCall) migrateDown(db *storage.Store, force, yes bool) error {
	last, err := appliedSteps(c.ctx, db)
	switch {
	case err != nil:
		return err
	case last == 0:
		return fmt.Errorf("no step is left to take back: %w", storage.ErrNotFound)
	case last == 1 && !force:
		return fmt.Errorf("the first step holds all games, bans and admins: %s migrate down --force deletes them", terminal.Program)
	case !yes && !force && !c.agreed(fmt.Sprintf("Take step %d back, and delete what only it holds? [y/N] ", last)):
		return errors.New("nothing was done: answer y, or say --yes")
	}
	m, err := db.MigrateDown(c.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "Step %d (%s) is taken back.\n", m.Version, m.Name)
	return nil
}

func migrationRow(m storage.Migration) []string {
	state := "missing"
	if m.Applied {
		state = "applied " + local(m.At)
	}
	return []string{strconv.FormatInt(m.Version, 10), m.Name, state}
}

// agreed asks at a terminal; elsewhere it reads the answer from standard input.
func (c *dbCall) agreed(question string) bool {
	if terminal.Is(c.stdin) {
		fmt.Fprint(c.stderr, question)
	}
	answer, _ := bufio.NewReader(c.stdin).ReadString('\n') // text before an error counts
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// appliedSteps is the number of the last step that is applied.
func appliedSteps(ctx context.Context, db *storage.Store) (last int64, err error) {
	steps, err := db.Migrations(ctx)
	for _, m := range steps {
		if m.Applied {
			last = m.Version
		}
	}
	return last, err
}
