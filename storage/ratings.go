package storage

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// Rating is how strong a player of one realm is on a category of maps.
type Rating struct {
	Name     string  `json:"name"`
	Realm    string  `json:"realm"`
	Category string  `json:"category"`
	Mu       float64 `json:"mu"`
	Sigma    float64 `json:"sigma"`
	Points   int     `json:"points" db:"-"` // as players see it
	Games    int     `json:"games"`
	Place    int     `json:"place"` // from 1
	Of       int     `json:"of"`    // players of the category
}

// RateGames rates the games that have ended and are not rated yet. A game that
// arrives after a later one is rated late; RebuildRatings puts it in its place.
func (d *Store) RateGames(ctx context.Context) (games int64, err error) {
	waits, err := sqldb.One[bool](ctx, d.sql, "SELECT EXISTS (SELECT 1 FROM games WHERE NOT rated AND ended_at IS NOT NULL)")
	if err != nil || !waits {
		return 0, err
	}
	return d.inBatches(ctx, func(ctx context.Context, tx sqldb.Tx) (int64, error) {
		if err := lockRatings(ctx, tx); err != nil {
			return 0, err
		}
		keys, err := sqldb.List[GameKey](ctx, tx, "SELECT key FROM games WHERE NOT rated AND ended_at IS NOT NULL ORDER BY ended_at, key LIMIT $1", rateBatch)
		if err != nil || len(keys) == 0 {
			return 0, err
		}
		r := rater{tx: tx, known: map[ratedPlayer]rated{}}
		if err := r.batch(ctx, keys); err != nil {
			return 0, err
		}
		return int64(len(keys)), r.mark(ctx, d.opts.Log)
	})
}

// Rebuilt counts the games that RebuildRatings has looked at.
type Rebuilt struct {
	Games   int64
	Refused int64 // of them those that cannot be rated
}

// RebuildRatings makes all ratings anew from the games that are kept, in one transaction: after an error the ratings
// are as they were. Until it ends, other programs cannot rate games, nor write to a file of SQLite at all.
func (d *Store) RebuildRatings(ctx context.Context) (done Rebuilt, err error) {
	err = d.tx(ctx, func(tx sqldb.Tx) error {
		if err := lockRatings(ctx, tx); err != nil {
			return err
		}
		keys, err := sqldb.List[GameKey](ctx, tx, "SELECT key FROM games WHERE ended_at IS NOT NULL ORDER BY ended_at, key")
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM ratings"); err != nil {
			return err
		}
		r := rater{tx: tx, known: map[ratedPlayer]rated{}, anew: true}
		for some := range slices.Chunk(keys, rateBatch) {
			if err := r.batch(ctx, some); err != nil {
				return err
			}
		}
		done = Rebuilt{int64(len(keys)), int64(len(r.refused))}
		return cmp.Or(r.finish(ctx), r.mark(ctx, d.opts.Log))
	})
	return done, err
}

// lockRatings keeps other hosts from rating until the transaction ends: each game
// builds on the one before.
func lockRatings(ctx context.Context, tx sqldb.Tx) error {
	return tx.OnPostgres(ctx, "LOCK TABLE ratings IN EXCLUSIVE MODE")
}

// ratings reads ratings. Players of the same strength share a place.
func (d *Store) ratings(ctx context.Context, where string, args ...any) ([]Rating, error) {
	all, err := sqldb.List[Rating](ctx, d.sql, `SELECT name, realm, category, mu, sigma, games,
		(SELECT 1 + count(*) FROM ratings b WHERE b.category = r.category AND b.mu - 3 * b.sigma > r.mu - 3 * r.sigma) AS place
		FROM ratings r `+where, args...)
	of := map[string]int{} // counted once for a category, which takes its time
	for i, r := range all {
		if of[r.Category] == 0 && err == nil {
			of[r.Category], err = sqldb.One[int](ctx, d.sql, "SELECT count(*) FROM ratings WHERE category = $1", r.Category)
		}
		all[i].Of, all[i].Points = of[r.Category], rating.Skill{Mu: r.Mu, Sigma: r.Sigma}.Points()
	}
	return all, err
}

// Rating returns the rating of a player on a map; ErrNotFound when they have none.
func (d *Store) Rating(ctx context.Context, name, realm, mapName string) (Rating, error) {
	category := rating.Category(mapName)
	all, err := d.ratings(ctx, "WHERE name_key = $1 AND realm = $2 AND category = $3", nameKey(name), clean(realm), category)
	if err := some(len(all), err, ErrNotFound, "no rated games of %s on %s", name, category); err != nil {
		return Rating{}, err
	}
	return all[0], nil
}

// RatingsOf lists the ratings of a name on a map, one per realm, the one of most
// games first.
func (d *Store) RatingsOf(ctx context.Context, name, mapName string) ([]Rating, error) {
	return d.ratings(ctx, "WHERE name_key = $1 AND category = $2 ORDER BY games DESC, realm", nameKey(name), rating.Category(mapName))
}

// BestRated lists the best of a category, or of each.
func (d *Store) BestRated(ctx context.Context, category string, limit int) ([]Rating, error) {
	if limit < 1 {
		return nil, errors.New("a list of the best needs room for one")
	}
	where := ""
	args := []any{limit}
	if category != "" {
		where, args = " WHERE r.category = $2", append(args, strings.ToLower(category))
	}
	return d.ratings(ctx, where+" ORDER BY r.category, r.mu - 3 * r.sigma DESC, r.name_key LIMIT $1", args...)
}
