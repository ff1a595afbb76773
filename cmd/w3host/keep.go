package main

import (
	"errors"
	"fmt"

	"github.com/hashicorp/go-multierror"
	"github.com/spf13/cobra"

	"w3host/daemon"
	"w3host/internal/terminal"
	"w3host/storage"
)

const pruneHelp = `w3host prune removes what is older than database.keep_chat, keep_addresses, keep_games
and keep_audit say, in small batches beside hosts that run. A host does the same by
itself every hour. Totals of players and maps stay.`

const forgetHelp = `w3host forget replaces the name of a player by a token that says nothing, everywhere
in the database: games, chat, statistics, past bans, the audit log. Their addresses
are removed. It works in small batches beside hosts that run, and cannot be undone.

Records that still wait in the spool of a host, its log and replays are not touched.`

func pruneCommand() *cobra.Command {
	c, cmd := newDBCommand("prune", "remove what is older than the configuration keeps it", pruneHelp)
	dry := cmd.Flags().Bool("dry-run", false, "only say how much would be removed")
	c.addJSONFlag(cmd.Flags(), "print a JSON object")
	var keep storage.Keep
	check := func() error {
		if err := c.none(); err != nil {
			return err
		}
		set, faults := readConfig(c.file)
		if err := multierror.Append(faults, set.Validate()).ErrorOrNil(); err != nil {
			return err
		}
		if keep = daemon.Retention(set.Database); keep == (storage.Keep{}) {
			return errors.New("everything is kept forever: set database.keep_chat, keep_addresses, keep_games or keep_audit")
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
		verb := either(*dry, "Would remove", "Removed")
		fmt.Fprintf(c.stdout, "%s %d games, %d other lines of chat, %d other addresses, %d lines of audit.\n", verb, done.Games, done.Chat, done.Addresses, done.Audit)
		if *dry || done == (storage.Pruned{}) {
			return nil
		}
		return c.audit(db, "", fmt.Sprintf("%d games, %d lines of chat, %d addresses, %d lines of audit", done.Games, done.Chat, done.Addresses, done.Audit))
	})
}

func forgetCommand() *cobra.Command {
	c, cmd := newDBCommand("forget PLAYER", "replace the name of a player by a token, everywhere", forgetHelp)
	c.addJSONFlag(cmd.Flags(), "print a JSON object")
	check := func() error { return c.one("the name of a player") }
	return c.does(cmd, check, func(db *storage.Store) error {
		f, err := db.Forget(c.ctx, c.names[0])
		if err != nil {
			return err
		}
		if err := c.audit(db, f.Token, ""); err != nil { // never the name
			return err
		}
		if c.json {
			return printJSON(c.stdout, f)
		}
		fmt.Fprintf(c.stdout, "%s is forgotten: %s in %d games.\n", terminal.Printable(c.names[0]), f.Token, f.Games)
		return nil
	})
}
