package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// PlayerStats summarises the logged games of a player of one realm. Wins and losses are known only for maps
// that report them.
type PlayerStats struct {
	Name      string      `json:"name"`
	Realm     string      `json:"realm"`
	Games     int         `json:"games"`
	Won       int         `json:"won"`
	Lost      int         `json:"lost"`
	Drawn     int         `json:"drawn"`
	LeftEarly int         `json:"left_early"` // as reported by the map
	Dropped   int         `json:"dropped"`
	Lags      int         `json:"lags"`
	PlayedMS  int64       `json:"played_ms"`
	Actions   int64       `json:"actions"`
	PingMS    float64     `json:"ping_ms"`
	First     time.Time   `json:"first_game,omitzero" db:"first_game"`
	Last      time.Time   `json:"last_game,omitzero" db:"last_game"`
	Maps      []PlayedMap `json:"maps"`   // most played first, at most ten
	Values    []MapValue  `json:"values"` // from the maps' own reports
}

// PlayedMap counts a player's games on one map.
type PlayedMap struct {
	Name  string `json:"name" db:"map_name"`
	SHA1  string `json:"sha1" db:"map_sha1"`
	Games int    `json:"games"`
	Won   int    `json:"won"`
	Lost  int    `json:"lost"`
}

// MapValue summarises a number that maps reported about a player, such as kills. Contradicted values are left
// out.
type MapValue struct {
	Source ResultSource `json:"source"`
	Name   string       `json:"name"`
	Games  int          `json:"games"`
	Sum    float64      `json:"sum"`
	Mean   float64      `json:"mean"`
	Most   float64      `json:"most"`
}

// PlayerStats returns the statistics of all players with a name, one per realm, most games first. It returns
// ErrNotFound if no such player has played.
func (d *Store) PlayerStats(ctx context.Context, name string) ([]PlayerStats, error) {
	key := nameKey(name)
	all, err := sqldb.List[PlayerStats](ctx, d.sql, `SELECT `+selected(PlayerStats{}, "")+`
		FROM player_stats WHERE name_key = $1 ORDER BY games DESC, realm`, key)
	if err := requireRows(len(all), err, ErrNotFound, "no games of %s", name); err != nil {
		return nil, err
	}
	for i := range all {
		s := &all[i]
		err := sqldb.Fill(ctx, d.sql, &s.Maps, `SELECT map_name, map_sha1, games, won, lost FROM player_map_totals
			WHERE name_key = $1 AND realm = $2 AND games > 0 ORDER BY games DESC, map_sha1 LIMIT 10`, key, s.Realm)
		if err == nil {
			err = sqldb.Fill(ctx, d.sql, &s.Values, `SELECT source, name, games, sum, sum / games AS mean, most FROM player_value_totals
				WHERE name_key = $1 AND realm = $2 AND games > 0 ORDER BY source, name`, key, s.Realm)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Namesakes returns other names that have played from the addresses of a name's latest thousand games, most
// games first. It returns nothing for an empty name.
func (d *Store) Namesakes(ctx context.Context, name string, limit int) ([]string, error) {
	return sqldb.List[string](ctx, d.sql, `SELECT (SELECT p.name FROM game_players p WHERE p.name_key = n.name_key LIMIT 1)
		FROM (SELECT name_key, count(*) AS games FROM game_players
			WHERE ip IN (SELECT ip FROM (SELECT ip FROM game_players WHERE name_key = $1 ORDER BY game_key DESC LIMIT 1000) AS latest WHERE ip IS NOT NULL)
			AND name_key NOT IN ($1, '') AND $1 <> '' AND ip IS NOT NULL
			GROUP BY name_key ORDER BY games DESC, name_key LIMIT $2) AS n ORDER BY games DESC, name_key`, nameKey(name), limit)
}

// SetLanguage stores the language that a player has chosen, by name.
func (d *Store) SetLanguage(ctx context.Context, name, language string) error {
	if nameKey(name) == "" {
		return fmt.Errorf("%w: a preference needs a name", ErrRejected)
	}
	_, err := d.sql.Exec(ctx, `INSERT INTO preferences (name_key, name, language, set_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (name_key) DO UPDATE SET `+excluded("name", "language", "set_at"),
		nameKey(name), clean(strings.TrimSpace(name)), language, time.Now())
	return err
}

// LanguageOf returns the player's language, or "" if none was chosen.
func (d *Store) LanguageOf(ctx context.Context, name string) (string, error) {
	return sqldb.One[string](ctx, d.sql, "SELECT coalesce((SELECT language FROM preferences WHERE name_key = $1), '')", nameKey(name))
}
