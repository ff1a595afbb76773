package storage

import (
	"context"
	"errors"
	"maps"
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
	return d.inBatches(ctx, rateSome)
}

// RebuildRatings makes all ratings anew from the games that are kept.
func (d *Store) RebuildRatings(ctx context.Context) (games int64, err error) {
	err = d.tx(ctx, func(tx sqldb.Tx) error {
		if err := lockRatings(ctx, tx); err != nil {
			return err
		}
		return tx.Batch(ctx, []sqldb.Statement{{SQL: "DELETE FROM ratings"}, {SQL: "UPDATE games SET rated = false WHERE rated"}}, nil)
	})
	if err != nil {
		return 0, err
	}
	return d.inBatches(ctx, rateSome)
}

// lockRatings keeps other hosts from rating until the transaction ends: each game
// builds on the one before.
func lockRatings(ctx context.Context, tx sqldb.Tx) error {
	return tx.OnPostgres(ctx, "LOCK TABLE ratings IN EXCLUSIVE MODE")
}

// ratedPlayer names a rating.
type ratedPlayer struct{ NameKey, Realm, Category string }

// rated is a rating in the database.
type rated struct {
	Name string
	rating.Skill
	Games int
}

// ratedGame is a game with its players.
type ratedGame struct {
	category string
	players  []ratedPlayer
	names    []string
	results  []rating.Result
}

// rateSome rates the first games of those that wait.
func rateSome(ctx context.Context, tx sqldb.Tx) (n int64, err error) {
	if err := lockRatings(ctx, tx); err != nil {
		return 0, err
	}
	games, keys, err := unrated(ctx, tx)
	if err != nil || len(games) == 0 {
		return 0, err
	}
	known, err := ratingsOf(ctx, tx, games)
	if err != nil {
		return 0, err
	}
	changed := map[ratedPlayer]*rated{}
	for _, g := range games {
		g.rate(known, changed)
	}
	for p, r := range changed {
		if _, err := tx.Exec(ctx, `INSERT INTO ratings (category, name_key, realm, name, mu, sigma, games) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (name_key, realm, category) DO UPDATE SET `+excluded("name", "mu", "sigma", "games"),
			p.Category, p.NameKey, p.Realm, r.Name, r.Mu, r.Sigma, r.Games); err != nil {
			return 0, err
		}
	}
	_, err = tx.Exec(ctx, "UPDATE games SET rated = true WHERE key IN (SELECT value FROM json_each($1))", keys)
	return int64(len(games)), err
}

// rate changes the ratings of the players of a game, unless its results name no
// winner.
func (g *ratedGame) rate(known, changed map[ratedPlayer]*rated) {
	before := make([]rating.Skill, len(g.players))
	for i, p := range g.players {
		if known[p] == nil {
			known[p] = &rated{Skill: rating.Newcomer()}
		}
		before[i] = known[p].Skill
	}
	for i, skill := range rating.Game(g.results, before) {
		if skill != nil && g.players[i].NameKey != "" { // who has no name counts as a newcomer in each game
			r := known[g.players[i]]
			r.Name, r.Skill, r.Games = g.names[i], *skill, r.Games+1
			changed[g.players[i]] = r
		}
	}
}

// unrated reads the games that wait, in the order in which they ended, and their keys. Of
// games with computers no strength follows.
func unrated(ctx context.Context, tx sqldb.Tx) (games []*ratedGame, keys []string, err error) {
	waiting, err := sqldb.List[struct {
		Key string
		Map string `db:"map_name"`
	}](ctx, tx, `SELECT key, map_name FROM games WHERE NOT rated AND ended_at IS NOT NULL ORDER BY ended_at, key LIMIT $1`, rateBatch)
	if err != nil {
		return nil, nil, err
	}
	byKey := map[string]*ratedGame{}
	for _, g := range waiting {
		byKey[g.Key] = &ratedGame{category: rating.Category(g.Map)}
		games, keys = append(games, byKey[g.Key]), append(keys, g.Key)
	}
	players, err := sqldb.List[struct {
		GameKey              string
		NameKey, Realm, Name string
		rating.Result
	}](ctx, tx, `SELECT game_key, name_key, realm, name, team, outcome FROM played
		WHERE game_key IN (SELECT value FROM json_each($1)) AND NOT EXISTS (SELECT 1 FROM game_computers c WHERE c.game_key = played.game_key)
		ORDER BY game_key, slot`, keys)
	for _, p := range players {
		g := byKey[p.GameKey]
		g.players = append(g.players, ratedPlayer{p.NameKey, p.Realm, g.category})
		g.names, g.results = append(g.names, p.Name), append(g.results, p.Result)
	}
	return games, keys, err
}

// ratingsOf reads the ratings of the players of the games.
func ratingsOf(ctx context.Context, tx sqldb.Tx, games []*ratedGame) (map[ratedPlayer]*rated, error) {
	names := map[string]bool{}
	for _, g := range games {
		for _, p := range g.players {
			names[p.NameKey] = true
		}
	}
	rows, err := sqldb.List[struct {
		ratedPlayer
		rated
	}](ctx, tx, "SELECT name_key, realm, category, name, mu, sigma, games FROM ratings WHERE name_key IN (SELECT value FROM json_each($1))",
		slices.Collect(maps.Keys(names)))
	known := map[ratedPlayer]*rated{}
	for _, r := range rows {
		known[r.ratedPlayer] = &r.rated
	}
	return known, err
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
