package storage

import (
	"context"
	"time"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// LadderSeason is what is known of a season.
type LadderSeason struct {
	Season int
	Games  int
	Final  bool
}

// LadderSeasons lists the seasons of a ladder that have begun, the latest first.
func (d *Store) LadderSeasons(ctx context.Context, slug string) ([]LadderSeason, error) {
	return sqldb.List[LadderSeason](ctx, d.sql, "SELECT season, games, final FROM ladder_seasons WHERE ladder = $1 ORDER BY season DESC", slug)
}

// LadderTable lists the players of a season, the best first. Hidden and forgotten ones are left out.
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

// LadderPoint is the rating of a player after a game.
type LadderPoint struct {
	EndedAt time.Time
	GameKey GameKey
	Mu      float64
	Sigma   float64
	Result  string
}

// LadderCurve lists the ratings of a player in a season, in their order; of more than limit the latest.
func (d *Store) LadderCurve(ctx context.Context, slug string, season int, name, realm string, limit int) ([]LadderPoint, error) {
	return sqldb.List[LadderPoint](ctx, d.sql, `SELECT * FROM (SELECT ended_at, game_key, mu, sigma, result FROM ladder_results
		WHERE ladder = $1 AND season = $2 AND name_key = $3 AND realm = $4 ORDER BY ended_at DESC, game_key DESC LIMIT $5) AS r ORDER BY ended_at, game_key`,
		slug, season, nameKey(name), clean(realm), limit)
}

// LadderChange is how a game has changed the rating of a player.
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

// LadderChanges lists the changes of ratings by a game.
func (d *Store) LadderChanges(ctx context.Context, key GameKey) ([]LadderChange, error) {
	return sqldb.List[LadderChange](ctx, d.sql, "SELECT "+selected(LadderChange{}, "")+" FROM ladder_results WHERE game_key = $1 ORDER BY ladder, season, name_key", key)
}

// LadderOf lists the places of a player: ladder, season and row, the latest season first.
func (d *Store) LadderOf(ctx context.Context, name, realm string) ([]LadderPlace, error) {
	return sqldb.List[LadderPlace](ctx, d.sql, "SELECT ladder, season, "+selected(LadderPlayer{}, "")+" FROM ladder_players WHERE name_key = $1 AND realm = $2 ORDER BY ladder, season DESC", nameKey(name), clean(realm))
}

// LadderPlace is a player's row in a ladder.
type LadderPlace struct {
	Ladder string
	Season int
	LadderPlayer
}

// ResetLadders has hosts make the tables of all seasons that are not final anew, since results have changed.
func (d *Store) ResetLadders(ctx context.Context) error {
	_, err := d.sql.Exec(ctx, "UPDATE ladder_seasons SET definition = '' WHERE NOT final")
	return err
}

// trimRecent is a row of letters with one more.
func trimRecent(letter, recent string) string {
	return letter + recent[:min(len(recent), mostRecent-1)]
}

// MapKind is a kind of maps: all versions of one.
type MapKind struct {
	Category string
	Name     string // of its version played most, without the version
	Games    int    // public ones, at most as many as were asked for
}

// PublicKinds lists the kinds of maps with so many public games, those played most first.
func (d *Store) PublicKinds(ctx context.Context, least int) ([]MapKind, error) {
	all, err := sqldb.List[struct {
		MapName string
		SHA1    string `db:"map_sha1"`
		Games   int
	}](ctx, d.sql, "SELECT map_name, map_sha1, games FROM map_totals ORDER BY games DESC, map_sha1")
	if err != nil {
		return nil, err
	}
	type kind struct {
		MapKind
		sha1 []string
	}
	byCategory, order := map[string]*kind{}, []*kind{}
	for _, m := range all {
		category := rating.Category(m.MapName)
		k := byCategory[category]
		if k == nil {
			k = &kind{MapKind: MapKind{Category: category, Name: m.MapName}}
			byCategory[category], order = k, append(order, k)
		}
		k.Games += m.Games
		k.sha1 = append(k.sha1, m.SHA1)
	}
	list := []MapKind{}
	for _, k := range order {
		if k.Games < least || k.Category == "" { // private games count here
			continue
		}
		if k.Games, err = sqldb.One[int](ctx, d.sql, "SELECT count(*) FROM (SELECT 1 FROM games WHERE "+publicGame+" AND map_sha1 IN (SELECT value FROM json_each($1)) LIMIT $2) AS some", k.sha1, least); err != nil {
			return nil, err
		}
		if k.Games >= least {
			list = append(list, k.MapKind)
		}
	}
	return list, nil
}
