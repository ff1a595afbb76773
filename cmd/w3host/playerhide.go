package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"w3host/internal/terminal"
	"w3host/storage"
)

const hideHelp = `w3host player hide keeps a player off the public site, on all realms: no page, no place in
a ladder, no name in matches, lists and feeds. It takes five minutes at most to reach
everybody. The game log keeps the name; w3host player forget removes it there, too. Without
a name the command lists the hidden players.`

func hideCommand() *cobra.Command {
	c, cmd := newDBCommand("hide [PLAYER]", "keep a player off the public site, or list the hidden players", hideHelp)
	check := func() error {
		if len(c.names) == 0 {
			return nil
		}
		return c.one("the name of a player")
	}
	return c.does(cmd, check, func(db *storage.Store) error {
		if len(c.names) == 0 {
			return c.listHidden(db)
		}
		if err := db.Hide(c.ctx, c.names[0]); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "%s is hidden; w3host player unhide shows the name again.\n", terminal.Printable(c.names[0]))
		return c.audit(db, c.names[0], "")
	})
}

func unhideCommand() *cobra.Command {
	c, cmd := newDBCommand("unhide PLAYER", "show a hidden player on the public site again", "w3host player unhide shows a player on the public site again whom w3host player hide has hidden.")
	return c.does(cmd, func() error { return c.one("the name of a player") }, func(db *storage.Store) error {
		if err := db.Unhide(c.ctx, c.names[0]); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "%s is shown again.\n", terminal.Printable(c.names[0]))
		return c.audit(db, c.names[0], "")
	})
}

func (c *dbCall) listHidden(db *storage.Store) error {
	names, err := db.Hidden(c.ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		fmt.Fprintln(c.stdout, "Nobody is hidden.")
	}
	for _, name := range names {
		fmt.Fprintln(c.stdout, terminal.Printable(name))
	}
	return nil
}
