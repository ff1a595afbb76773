package main

import (
	"errors"
	"fmt"

	"github.com/hashicorp/go-multierror"
	"github.com/spf13/cobra"

	"w3host/daemon"
	"w3host/storage"
)

const pruneHelp = `w3host db prune deletes records older than database.keep_chat, keep_addresses, keep_games
and keep_audit allow, in small batches, while hosts may run. A host does the same by itself
every hour. Totals of players and maps stay.`

func pruneCommand() *cobra.Command {
	c, cmd := newDBCommand("prune", "delete records older than the configured retention", pruneHelp)
	dry := cmd.Flags().Bool("dry-run", false, "only print how much would be deleted")
	c.addJSONFlag(cmd.Flags(), "print a JSON object")
	var keep storage.RetentionPolicy
	check := func() error {
		if err := c.none(); err != nil {
			return err
		}
		set, faults := readConfig(c.file)
		if err := multierror.Append(faults, set.Validate()).ErrorOrNil(); err != nil {
			return err
		}
		if keep = daemon.Retention(set.Database); keep == (storage.RetentionPolicy{}) {
			return errors.New("no retention is configured: set database.keep_chat, keep_addresses, keep_games or keep_audit")
		}
		return nil
	}
	return c.does(cmd, check, func(db *storage.Store) error {
		done, err := db.Prune(c.ctx, keep, *dry)
		if err != nil {
			return err
		}
		if c.json {
			return printJSON(c.stdout, done)
		}
		verb := either(*dry, "Would delete", "Deleted")
		fmt.Fprintf(c.stdout, "%s %d games, %d other chat lines, %d other addresses, %d audit entries.\n", verb, done.Games, done.Chat, done.Addresses, done.Audit)
		if *dry || done == (storage.Pruned{}) {
			return nil
		}
		return c.audit(db, "", fmt.Sprintf("%d games, %d chat lines, %d addresses, %d audit entries", done.Games, done.Chat, done.Addresses, done.Audit))
	})
}
