package storage

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// ratedPlayer identifies a rating.
type ratedPlayer struct{ NameKey, Realm, Category string }

// rated is a rating in the database.
type rated struct {
	Name string
	rating.Skill
	Games int
}

// ratedGame is a game with its players.
type ratedGame struct {
	Key           GameKey
	MapName       string
	Rated         bool
	UnratedReason string

	players []ratedPlayer
	names   []string
	results []rating.Result
}

// rater rates games in the order in which they ended, within one transaction.
type rater struct {
	tx      sqldb.Tx
	anew    bool                  // rebuild all ratings: known holds all of them, and finish writes them
	known   map[ratedPlayer]rated // ratings after the games so far
	done    []string              // keys of games not yet marked as rated
	refused []refusedGame
}

// refusedGame is a game whose ratings the database refused.
type refusedGame struct {
	key    GameKey
	reason error
}

// batch rates the games with the given keys in that order.
func (r *rater) batch(ctx context.Context, keys []GameKey) error {
	games, err := r.read(ctx, keys)
	if err != nil {
		return err
	}
	if !r.anew {
		if err := r.readKnown(ctx, games); err != nil {
			return err
		}
	}
	return r.rate(ctx, games)
}

// rate rates games and writes the ratings. If the database refuses them, it divides the games into halves
// until the offending game is found, which is skipped.
func (r *rater) rate(ctx context.Context, games []*ratedGame) error {
	changed := map[ratedPlayer]rated{}
	for _, g := range games {
		g.rate(r.known, changed)
	}
	err := r.tryWrite(ctx, changed)
	switch {
	case err == nil:
		maps.Copy(r.known, changed)
		for _, g := range games {
			if !g.Rated || g.UnratedReason != "" {
				r.done = append(r.done, g.Key.String())
			}
		}
		return nil
	case !errors.Is(err, ErrRejected):
		return err
	case len(games) == 1:
		r.refused = append(r.refused, refusedGame{games[0].Key, err})
		return nil
	}
	half := len(games) / 2
	if err := r.rate(ctx, games[:half]); err != nil {
		return err
	}
	return r.rate(ctx, games[half:])
}

// tryWrite writes ratings, and rolls them back if the database refuses one. When rebuilding, it writes only
// those of new players, because finish writes the final state of all.
func (r *rater) tryWrite(ctx context.Context, changed map[ratedPlayer]rated) error {
	rows := changed
	if r.anew {
		rows = maps.Clone(changed)
		maps.DeleteFunc(rows, func(p ratedPlayer, _ rated) bool { _, there := r.known[p]; return there })
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := r.tx.Exec(ctx, "SAVEPOINT ratings_of_games"); err != nil {
		return err
	}
	err := r.write(ctx, rows)
	end := "RELEASE SAVEPOINT ratings_of_games"
	if errors.Is(err, ErrRejected) {
		end = "ROLLBACK TO SAVEPOINT ratings_of_games"
	} else if err != nil {
		return err
	}
	if _, fault := r.tx.Exec(ctx, end); fault != nil {
		return fault
	}
	return err
}

func (r *rater) write(ctx context.Context, rows map[ratedPlayer]rated) error {
	statements := make([]sqldb.Statement, 0, len(rows))
	for p, s := range rows {
		statements = append(statements, sqldb.Statement{
			SQL: `INSERT INTO ratings (category, name_key, realm, name, mu, sigma, games) VALUES ($1, $2, $3, $4, $5, $6, $7)
				ON CONFLICT (name_key, realm, category) DO UPDATE SET ` + excluded("name", "mu", "sigma", "games"),
			Args: []any{p.Category, p.NameKey, p.Realm, s.Name, s.Mu, s.Sigma, s.Games},
		})
	}
	return r.tx.Batch(ctx, statements, nil)
}

// finish writes the final state of rebuilt ratings.
func (r *rater) finish(ctx context.Context) error {
	for some := range slices.Chunk(slices.Collect(maps.Keys(r.known)), rowBatch) {
		rows := make(map[ratedPlayer]rated, len(some))
		for _, p := range some {
			rows[p] = r.known[p]
		}
		if err := r.write(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

// mark marks the games as rated, or stores why they cannot be.
func (r *rater) mark(ctx context.Context, log zerolog.Logger) error {
	for keys := range slices.Chunk(r.done, rowBatch) {
		if _, err := r.tx.Exec(ctx, "UPDATE games SET rated = true, unrated_reason = '' WHERE key IN (SELECT value FROM json_each($1))", keys); err != nil {
			return err
		}
	}
	for _, g := range r.refused {
		log.Warn().Stringer("key", g.key).Err(g.reason).Msg("a game cannot be rated; it is skipped")
		if _, err := r.tx.Exec(ctx, "UPDATE games SET rated = true, unrated_reason = $2 WHERE key = $1", g.key, clean(g.reason.Error())); err != nil {
			return err
		}
	}
	return nil
}

// rate computes the new ratings of a game's players into changed, unless the results name no winner. It does
// not modify known.
func (g *ratedGame) rate(known, changed map[ratedPlayer]rated) {
	skills := make([]rated, len(g.players))
	before := make([]rating.Skill, len(g.players))
	for i, p := range g.players {
		s, there := changed[p]
		if !there {
			s, there = known[p]
		}
		if !there {
			s.Skill = rating.Newcomer()
		}
		skills[i], before[i] = s, s.Skill
	}
	for i, skill := range rating.Game(g.results, before) {
		if skill != nil && g.players[i].NameKey != "" { // a player without a name counts as new in every game
			changed[g.players[i]] = rated{g.names[i], *skill, skills[i].Games + 1}
		}
	}
}

// read reads games and their players. Games with computer players yield no players, since they say nothing
// about strength.
func (r *rater) read(ctx context.Context, keys []GameKey) (games []*ratedGame, err error) {
	list := make([]string, len(keys))
	byKey := make(map[GameKey]*ratedGame, len(keys))
	for i, key := range keys {
		byKey[key] = &ratedGame{}
		list[i], games = key.String(), append(games, byKey[key])
	}
	heads, err := sqldb.List[ratedGame](ctx, r.tx, "SELECT key, map_name, rated, unrated_reason FROM games WHERE key IN (SELECT value FROM json_each($1))", list)
	if err != nil {
		return nil, err
	}
	for _, head := range heads {
		*byKey[head.Key] = head
	}
	players, err := sqldb.List[struct {
		GameKey              GameKey
		NameKey, Realm, Name string
		rating.Result
	}](ctx, r.tx, `SELECT game_key, name_key, realm, name, team, outcome FROM played
		WHERE game_key IN (SELECT value FROM json_each($1)) AND NOT EXISTS (SELECT 1 FROM game_computers c WHERE c.game_key = played.game_key)
		ORDER BY game_key, slot`, list)
	for _, p := range players {
		g := byKey[p.GameKey]
		g.players = append(g.players, ratedPlayer{p.NameKey, p.Realm, rating.Category(g.MapName)})
		g.names, g.results = append(g.names, p.Name), append(g.results, p.Result)
	}
	return games, err
}

// readKnown reads the current ratings of the games' players.
func (r *rater) readKnown(ctx context.Context, games []*ratedGame) error {
	names := map[string]bool{}
	for _, g := range games {
		for _, p := range g.players {
			names[p.NameKey] = true
		}
	}
	rows, err := sqldb.List[struct {
		ratedPlayer
		rated
	}](ctx, r.tx, "SELECT name_key, realm, category, name, mu, sigma, games FROM ratings WHERE name_key IN (SELECT value FROM json_each($1))",
		slices.Collect(maps.Keys(names)))
	for _, row := range rows {
		r.known[row.ratedPlayer] = row.rated
	}
	return err
}
