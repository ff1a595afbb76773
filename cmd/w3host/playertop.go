package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"w3host/storage"
)

const topPlayersHelp = `w3host player top lists the best players by category; a category is the name of a map
without its version. Hosts rate games a few seconds after their end; w3host db rebuild
ratings rates all stored games again.`

func topPlayersCommand() *cobra.Command {
	c, cmd := newDBCommand("top [CATEGORY]", "list the best players of one or all categories", topPlayersHelp)
	cmd.SuggestFor = []string{"ratings"}
	limit := cmd.Flags().Int("limit", 20, "at most `N` players")
	c.addListFlags(cmd.Flags())
	check := func() error {
		switch {
		case *limit < 1:
			return errors.New("--limit must be at least 1")
		case len(c.names) == 0:
			return nil
		}
		return c.one("a category")
	}
	return c.does(cmd, check, lists(c, "No ratings.", "CATEGORY\tPLACE\tNAME\tREALM\tPOINTS\tGAMES",
		func(db *storage.Store) ([]storage.Rating, error) {
			return db.BestRated(c.ctx, strings.Join(c.names, ""), *limit)
		},
		func(r storage.Rating) []string {
			return []string{r.Category, strconv.Itoa(r.Place), r.Name, realmName(r.Realm), strconv.Itoa(r.Points), strconv.Itoa(r.Games)}
		}))
}
