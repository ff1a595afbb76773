package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"w3host/internal/terminal"
	"w3host/storage"
)

const forgetHelp = `w3host player forget replaces the name of a player by a meaningless token everywhere in
the database: games, chat, statistics, past bans and the audit log. It also deletes the
player's addresses. It works in small batches, while hosts may run, and cannot be undone.

It does not change records waiting in the spool of a host, logs or replays.`

func forgetCommand() *cobra.Command {
	c, cmd := newDBCommand("forget PLAYER", "replace a player's name by a meaningless token everywhere", forgetHelp)
	c.addJSONFlag(cmd.Flags(), "print a JSON object")
	check := func() error { return c.one("the name of a player") }
	return c.does(cmd, check, func(db *storage.Store) error {
		f, err := db.Forget(c.ctx, c.names[0])
		if err != nil {
			return err
		}
		if err := c.audit(db, f.Token, ""); err != nil { // record the token, never the name
			return err
		}
		if c.json {
			return printJSON(c.stdout, f)
		}
		fmt.Fprintf(c.stdout, "Replaced %s by %s in %d games.\n", terminal.Printable(c.names[0]), f.Token, f.Games)
		return nil
	})
}
