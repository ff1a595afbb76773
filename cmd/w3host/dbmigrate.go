package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"w3host/internal/terminal"
	"w3host/storage"
)

const migrateHelp = `w3host db migrate migrates the database schema; without a sub-command it runs up. A host
also does that when it starts.`

func migrateCommand() *cobra.Command {
	c, cmd := newDBCommand("migrate", "migrate the database schema, or show its state", migrateHelp)
	c.addJSONFlag(cmd.PersistentFlags(), "status: print a JSON array")
	c.opts.LeaveSchema = true
	mayCreate := func() error { c.opts.MustExist = false; return nil }
	up := &cobra.Command{Use: "up", Short: "apply all pending steps", Args: noArgs}
	down := &cobra.Command{Use: "down STEP", Short: "undo the last step and delete the data that it introduced"}
	status := &cobra.Command{Use: "status", Short: "list the steps"}
	group(cmd, c.does(up, mayCreate, c.migrateUp),
		c.does(down, func() error { return c.one("the number of the last step") }, c.migrateDown),
		c.does(status, c.none, lists(c, "No steps.", "STEP\tFILE\tSTATE",
			func(db *storage.Store) ([]storage.Migration, error) { return db.Migrations(c.ctx) }, migrationRow)))
	cmd.Use = "migrate [COMMAND]"
	return c.does(cmd, mayCreate, c.migrateUp)
}

func (c *dbCall) migrateUp(db *storage.Store) error {
	before, err := appliedSteps(c.ctx, db)
	if err == nil {
		err = db.MigrateUp(c.ctx)
	}
	if err != nil {
		return err
	}
	after, err := appliedSteps(c.ctx, db)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s at step %d.\n", either(before == after, "Nothing to do: the schema is", "The schema is now"), after)
	return nil
}

// migrateDown undoes the last migration. Its number must be given, so that repeating the command by mistake does not
// undo another one.
func (c *dbCall) migrateDown(db *storage.Store) error {
	last, err := appliedSteps(c.ctx, db)
	if err != nil {
		return err
	}
	if named := strconv.FormatInt(last, 10); last > 0 && c.names[0] != named {
		loss := either(last == 1, "all games, bans and admins", "the data that this step introduced")
		return errors.New("the last step is " + named + ": " + terminal.Program + " db migrate down " + named + " deletes " + loss)
	}
	m, err := db.MigrateDown(c.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "Undid step %d (%s).\n", m.Version, m.Name)
	return nil
}

func migrationRow(m storage.Migration) []string {
	return []string{strconv.FormatInt(m.Version, 10), m.Name, either(m.Applied, "applied "+local(m.At), "pending")}
}

// appliedSteps returns the number of the last applied migration, or 0.
func appliedSteps(ctx context.Context, db *storage.Store) (last int64, err error) {
	steps, err := db.Migrations(ctx)
	for _, m := range steps {
		if m.Applied {
			last = m.Version
		}
	}
	return last, err
}
