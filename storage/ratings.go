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

// Rating is the strength of a player of one realm on a category of maps.
type Rating struct {
	Name     string  `json:"name"`
	Realm    string  `json:"realm"`
	Category string  `json:"category"`
	Mu       float64 `json:"mu"`
	Sigma    float64 `json:"sigma"`
	Points   int     `json:"points" db:"-"` // rating for display
	Games    int     `json:"games"`
	Place    int     `json:"place"` // rank, counted from 1
	Of       int     `json:"of"`    // number of players in the category
}

// RateGames rates all finished games that have not been rated and returns their number. A game that arrives
// after later ones is rated late; RebuildRatings corrects the order.
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

// Rebuilt counts the games processed by RebuildRatings.
type Rebuilt struct {
	Games   int64
	Refused int64 // games that could not be rated
}

// RebuildRatings recomputes all ratings from the stored games in one transaction; after an error the ratings
// are unchanged. Meanwhile other programs cannot rate games, nor write to a SQLite file at all.
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

// lockRatings keeps other hosts from rating until the transaction ends, because each game builds on the
// previous one.
func lockRatings(ctx context.Context, tx sqldb.Tx) error {
	return tx.OnPostgres(ctx, "LOCK TABLE ratings IN EXCLUSIVE MODE")
}

// ratings reads ratings. Players of equal strength share a rank.
func (d *Store) ratings(ctx context.Context, where string, args ...any) ([]Rating, error) {
	all, err := sqldb.List[Rating](ctx, d.sql, `SELECT name, realm, category, mu, sigma, games,
		(SELECT 1 + count(*) FROM ratings b WHERE b.category = r.category AND b.mu - 3 * b.sigma > r.mu - 3 * r.sigma) AS place
		FROM ratings r `+where, args...)
	of := map[string]int{} // counted once per category, because it is slow
	for i, r := range all {
		if of[r.Category] == 0 && err == nil {
			of[r.Category], err = sqldb.One[int](ctx, d.sql, "SELECT count(*) FROM ratings WHERE category = $1", r.Category)
		}
		all[i].Of, all[i].Points = of[r.Category], rating.Skill{Mu: r.Mu, Sigma: r.Sigma}.Points()
	}
	return all, err
}

// Rating returns the rating of a player on a map, or ErrNotFound.
func (d *Store) Rating(ctx context.Context, name, realm, mapName string) (Rating, error) {
	category := rating.Category(mapName)
	all, err := d.ratings(ctx, "WHERE name_key = $1 AND realm = $2 AND category = $3", nameKey(name), clean(realm), category)
	if err := requireRows(len(all), err, ErrNotFound, "no rated games of %s on %s", name, category); err != nil {
		return Rating{}, err
	}
	return all[0], nil
}

// RatingsOf returns the ratings of a name on a map, one per realm, most games first.
func (d *Store) RatingsOf(ctx context.Context, name, mapName string) ([]Rating, error) {
	return d.ratings(ctx, "WHERE name_key = $1 AND category = $2 ORDER BY games DESC, realm", nameKey(name), rating.Category(mapName))
}

// BestRated returns the best players of a category, or of each category if it is empty.
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
