package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"w3host/rating"
	"w3host/storage"
)

const ratingsHelp = `w3host ratings tells how strong players are, by category of maps: the name of the
map without its version. Without a sub-command it does what list does. Hosts rate
games a few seconds after they have ended.`

// ratingsCommand is "w3host ratings".
func ratingsCommand() *cobra.Command {
	c, cmd := newDBCommand("ratings [CATEGORY]", "list the strongest players, or rate all games anew", ratingsHelp)
	fs := cmd.PersistentFlags()
	limit := fs.Int("limit", 20, "with list: how many players")
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
		c.does(&cobra.Command{Use: "list [CATEGORY]", Short: "the best players, of one category or of each"}, storage.Options{}, check, list),
		c.does(&cobra.Command{Use: "rebuild", Short: "make all ratings anew from the games that are kept"}, storage.Options{}, c.none, c.rebuildRatings))
	return c.does(cmd, storage.Options{}, check, list)
}

func (c *dbCall) rebuildRatings(db *storage.Store) error {
	n, err := db.RebuildRatings(c.ctx, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "All ratings are made anew, from %d games.\n", n)
	return c.audit(db, "", fmt.Sprintf("rebuild from %d games", n))
}

// ratings answers the host's questions from the database.
type ratings struct{ db *storage.Store }

// Skill is that of a newcomer for whom no game is rated.
func (r ratings) Skill(ctx context.Context, name, realm, mapName string) (rating.Skill, error) {
	known, err := r.db.Rating(ctx, name, realm, mapName)
	if errors.Is(err, storage.ErrNotFound) {
		return rating.Newcomer(), nil
	}
	return rating.Skill{Mu: known.Mu, Sigma: known.Sigma}, err
}

// rateEvery is how soon after a game its players have their new ratings.
const rateEvery = 5 * time.Second

// keepRatings rates games that have ended, until ctx ends.
func keepRatings(ctx context.Context, db *storage.Store, log zerolog.Logger) {
	ticker := time.NewTicker(rateEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if n, err := db.RateGames(ctx); err != nil {
			log.Debug().Err(err).Msg("games are not rated; this is tried again")
		} else if n > 0 {
			log.Debug().Int64("games", n).Msg("games are rated")
		}
	}
}
