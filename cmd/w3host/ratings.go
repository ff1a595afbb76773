package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"w3host/rating"
	"w3host/storage"
)

const ratingsUsage = `w3host ratings tells how strong players are, by category of maps: the name of the
map without its version. Hosts rate games a few seconds after they have ended.

Usage:
  w3host ratings [list] [CATEGORY]   the best players, of one category or of each
  w3host ratings rebuild             make all ratings anew from the games that are kept

Flags:
  --limit N       with list: how many players (20)
  --json, --csv   with list: print a JSON array, or comma separated values`

// ratingsCommand runs "w3host ratings".
func ratingsCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "ratings", ratingsUsage, stdout, stderr)
	limit := c.flags.Int("limit", 20, "")
	c.addListFlags()
	rebuild, category := false, ""
	check := func() error {
		if len(c.names) > 0 && (c.names[0] == "list" || c.names[0] == "rebuild") {
			rebuild, c.names = c.names[0] == "rebuild", c.names[1:]
		}
		switch {
		case *limit < 1:
			return errors.New("--limit must be 1 or more")
		case rebuild || len(c.names) == 0:
			return c.none()
		}
		category = c.names[0]
		return c.one("a category")
	}
	return c.run(args, storage.Options{}, check, func(db *storage.Store) error {
		if rebuild {
			n, err := db.RebuildRatings(ctx, nil)
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "All ratings are made anew, from %d games.\n", n)
			return c.audit(db, "", fmt.Sprintf("rebuild from %d games", n))
		}
		best, err := db.BestRated(ctx, category, *limit)
		if err != nil {
			return err
		}
		rows := make([][]string, 0, len(best))
		for _, r := range best {
			rows = append(rows, []string{r.Category, strconv.Itoa(r.Place), r.Name, realmName(r.Realm), strconv.Itoa(r.Points), strconv.Itoa(r.Games)})
		}
		return c.print(list{best, "No ratings.", "CATEGORY\tPLACE\tNAME\tREALM\tPOINTS\tGAMES", rows})
	})
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
