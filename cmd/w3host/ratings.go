package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"w3host/storage"
)

const ratingsHelp = `w3host ratings shows the ratings of players by category; a category is the name of a map
without its version. Without a sub-command it runs list. Hosts rate games a few seconds
after their end.`

func ratingsCommand() *cobra.Command {
	c, cmd := newDBCommand("ratings [CATEGORY]", "list the strongest players, or rebuild all ratings", ratingsHelp)
	fs := cmd.PersistentFlags()
	limit := fs.Int("limit", 20, "list: number of players")
	c.addListFlags(fs)
	check := func() error {
		switch {
		case *limit < 1:
			return errors.New("--limit must be 1 or more")
		case len(c.names) == 0:
			return nil
		}
		return c.one("a category")
	}
	list := lists(c, "No ratings.", "CATEGORY\tPLACE\tNAME\tREALM\tPOINTS\tGAMES",
		func(db *storage.Store) ([]storage.Rating, error) {
			return db.BestRated(c.ctx, strings.Join(c.names, ""), *limit)
		},
		func(r storage.Rating) []string {
			return []string{r.Category, strconv.Itoa(r.Place), r.Name, realmName(r.Realm), strconv.Itoa(r.Points), strconv.Itoa(r.Games)}
		})
	cmd.AddCommand(
		c.does(&cobra.Command{Use: "list [CATEGORY]", Short: "list the best players of one or all categories"}, check, list),
		c.does(&cobra.Command{Use: "rebuild", Short: "rebuild all ratings from the stored games"}, c.none, c.rebuildRatings))
	return c.does(cmd, check, list)
}

func (c *dbCall) rebuildRatings(db *storage.Store) error {
	done, err := db.RebuildRatings(c.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "Rebuilt all ratings from %d games.\n", done.Games)
	if done.Refused > 0 {
		fmt.Fprintf(c.stdout, "Skipped %d games that cannot be rated; the log above has their keys, and w3host game KEY shows the reason.\n", done.Refused)
	}
	return c.audit(db, "", fmt.Sprintf("rebuild from %d games", done.Games))
}
