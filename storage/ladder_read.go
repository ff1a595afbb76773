package storage

import (
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// LadderSeason is the state of a season. Games counts its rated games; Final means that its table no longer
// changes.
type LadderSeason struct {
	Season int
	Games  int
	Final  bool
}

// LadderSeasons returns the seasons of a ladder that have a table, latest first.
func (d *Store) LadderSeasons(ctx context.Context, slug string) ([]LadderSeason, error) {
	return sqldb.List[LadderSeason](ctx, d.sql, "SELECT season, games, final FROM ladder_seasons WHERE ladder = $1 ORDER BY season DESC", slug)
}

// LadderTable returns at most limit players of a season, best first. Hidden and forgotten players are left out.
func (d *Store) LadderTable(ctx context.Context, slug string, season, limit int) ([]LadderPlayer, error) {
	all, err := sqldb.List[LadderPlayer](ctx, d.sql, "SELECT "+selected(LadderPlayer{}, "p.")+` FROM ladder_players p WHERE ladder = $1 AND season = $2
		AND NOT EXISTS (SELECT 1 FROM hidden h WHERE h.name_key = p.name_key) ORDER BY mu - 3 * sigma DESC, name_key, realm LIMIT $3`, slug, season, limit)
	shown := all[:0]
	for _, p := range all {
		if !isForgotten(p.NameKey) {
			shown = append(shown, p)
		}
	}
	return shown, err
}

// LadderPoint is a player's rating after a game, and the letter of the game's result.
type LadderPoint struct {
	EndedAt time.Time
	GameKey GameKey
	Mu      float64
	Sigma   float64
	Result  string
}

// LadderCurve returns a player's ratings after the last limit games of a season, oldest first.
func (d *Store) LadderCurve(ctx context.Context, slug string, season int, name, realm string, limit int) ([]LadderPoint, error) {
	return sqldb.List[LadderPoint](ctx, d.sql, `SELECT * FROM (SELECT ended_at, game_key, mu, sigma, result FROM ladder_results
		WHERE ladder = $1 AND season = $2 AND name_key = $3 AND realm = $4 ORDER BY ended_at DESC, game_key DESC LIMIT $5) AS r ORDER BY ended_at, game_key`,
		slug, season, nameKey(name), clean(realm), limit)
}

// LadderChange is the change of a player's rating by a game.
type LadderChange struct {
	Ladder      string
	Season      int
	NameKey     string
	Realm       string
	MuBefore    float64
	SigmaBefore float64
	Mu          float64
	Sigma       float64
}

// LadderChanges returns how a game changed the ratings of its players, in every ladder that counts
// the game.
func (d *Store) LadderChanges(ctx context.Context, key GameKey) ([]LadderChange, error) {
	return sqldb.List[LadderChange](ctx, d.sql, "SELECT "+selected(LadderChange{}, "")+" FROM ladder_results WHERE game_key = $1 ORDER BY ladder, season, name_key", key)
}

// LadderOf returns a player's rows in all seasons of all ladders, ordered by ladder, with the latest season first.
func (d *Store) LadderOf(ctx context.Context, name, realm string) ([]LadderPlace, error) {
	return sqldb.List[LadderPlace](ctx, d.sql, "SELECT ladder, season, "+selected(LadderPlayer{}, "")+" FROM ladder_players WHERE name_key = $1 AND realm = $2 ORDER BY ladder, season DESC", nameKey(name), clean(realm))
}

// LadderPlace is a player's row in the table of one season of a ladder.
type LadderPlace struct {
	Ladder string
	Season int
	LadderPlayer
}

// ResetLadders makes the next UpdateLadder compute the tables of all seasons again that are not final. It must
// be called after results of games have changed.
func (d *Store) ResetLadders(ctx context.Context) error {
	_, err := d.sql.Exec(ctx, "UPDATE ladder_seasons SET definition = '' WHERE NOT final")
	return err
}

// addRecent prepends a letter to the letters of recent results and keeps the newest ten.
func addRecent(letter, recent string) string {
	return letter + recent[:min(len(recent), mostRecent-1)]
}
