package storage

import (
	"cmp"
	"context"
	"slices"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// PublicMap is a map with all its versions. It counts public games only.
type PublicMap struct {
	Category string       // name without version, see rating.Category
	Versions []MapVersion // latest played first
}

// MapVersion is a file of a map. Days are numbers like 20261128.
type MapVersion struct {
	Category string `db:"-"`
	SHA1     string `db:"map_sha1"`
	MapName  string
	Games    int
	Whole    int // games that nobody left in their first nine tenths
	First    int // day of the first game
	Last     int // day of the last game
}

// Games returns the number of public games on all versions.
func (m *PublicMap) Games() (n int) {
	for _, v := range m.Versions {
		n += v.Games
	}
	return n
}

// SHA1s returns the SHA-1s of all versions.
func (m *PublicMap) SHA1s() (list []string) {
	for _, v := range m.Versions {
		list = append(list, v.SHA1)
	}
	return list
}

// PublicMaps returns the maps with at least one public game, most played first.
func (d *Store) PublicMaps(ctx context.Context) ([]PublicMap, error) {
	// Subqueries keep the planner from reading all of map_counts. The name is not that of map_totals, which a private game may
	// have given.
	all, err := sqldb.List[MapVersion](ctx, d.sql, `SELECT t.map_sha1,
			coalesce((SELECT games FROM map_counts c WHERE c.map_sha1 = t.map_sha1 AND c.kind = 'games' AND c.number = 0), 0) AS games,
			coalesce((SELECT won FROM map_counts c WHERE c.map_sha1 = t.map_sha1 AND c.kind = 'games' AND c.number = 0), 0) AS whole,
			coalesce((SELECT map_name FROM games WHERE `+publicGame+` AND map_sha1 = t.map_sha1 ORDER BY key DESC LIMIT 1), '') AS map_name,
			(SELECT min(number) FROM map_counts d WHERE d.map_sha1 = t.map_sha1 AND d.kind = 'day' AND d.games > 0) AS first,
			(SELECT max(number) FROM map_counts d WHERE d.map_sha1 = t.map_sha1 AND d.kind = 'day' AND d.games > 0) AS last
		FROM map_totals t ORDER BY t.games DESC, t.map_sha1`)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	list := []PublicMap{}
	for _, v := range all {
		v.Category = rating.Category(v.MapName)
		if v.Category == "" || v.Games == 0 {
			continue
		}
		i, there := at[v.Category]
		if !there {
			i = len(list)
			at[v.Category], list = i, append(list, PublicMap{Category: v.Category})
		}
		list[i].Versions = append(list[i].Versions, v)
	}
	for _, m := range list {
		slices.SortStableFunc(m.Versions, func(a, b MapVersion) int { return cmp.Compare(b.Last, a.Last) })
	}
	slices.SortStableFunc(list, func(a, b PublicMap) int { return cmp.Compare(b.Games(), a.Games()) })
	return list, nil
}

// MapStats are sums over the public games of a map.
type MapStats struct {
	Days    []MapCount // games per day from a day on; Number is a day like 20261128
	Minutes []MapCount // finished games by their length in minutes; 240 means 240 and more
	Teams   []MapCount // games with a winner by team, from 0
	Places  []MapCount // the same by player colour
	Heroes  []MapHero  // most played first
}

// MapCount counts games with a number in common.
type MapCount struct {
	Number int
	Games  int
	Won    int
}

// MapHero counts games with a winner in which a player had a hero. The name is text of the map.
type MapHero struct {
	Hero  string
	Games int
	Won   int
}

// MapStats returns the sums over all versions of a map: days from a day on, and at most heroes heroes.
func (d *Store) MapStats(ctx context.Context, sha1s []string, from, heroes int) (*MapStats, error) {
	all, err := sqldb.List[struct {
		Kind string
		MapCount
	}](ctx, d.sql, `SELECT kind, number, sum(games) AS games, sum(won) AS won FROM map_counts
		WHERE map_sha1 IN (SELECT value FROM json_each($1)) AND (kind IN ('minutes', 'team', 'place') OR kind = 'day' AND number >= $2)
		GROUP BY kind, number HAVING sum(games) > 0 ORDER BY kind, number`, sha1s, from)
	if err != nil {
		return nil, err
	}
	s := &MapStats{}
	lists := map[string]*[]MapCount{"day": &s.Days, "minutes": &s.Minutes, "team": &s.Teams, "place": &s.Places}
	for _, c := range all {
		*lists[c.Kind] = append(*lists[c.Kind], c.MapCount)
	}
	err = sqldb.Fill(ctx, d.sql, &s.Heroes, `SELECT hero, sum(games) AS games, sum(won) AS won FROM map_heroes WHERE map_sha1 IN (SELECT value FROM json_each($1))
		GROUP BY hero HAVING sum(games) > 0 ORDER BY sum(games) DESC, hero LIMIT $2`, sha1s, heroes)
	return s, err
}

// MapRecord is the best value of a map's public games: one that the map reports about players, "longest" or "fastest".
type MapRecord struct {
	Name    string
	GameKey GameKey
	PID     uint8   // player; 0 for lengths
	Number  float64 // milliseconds for lengths, negative for "fastest"
}

// MapRecords returns the best game of a map for every value, by its name.
func (d *Store) MapRecords(ctx context.Context, sha1s []string) ([]MapRecord, error) {
	return sqldb.List[MapRecord](ctx, d.sql, `SELECT name, game_key, pid, number FROM (
			SELECT r.*, row_number() OVER (PARTITION BY name ORDER BY number DESC, game_key) AS place
			FROM map_records r WHERE map_sha1 IN (SELECT value FROM json_each($1))) AS ranked WHERE place = 1 ORDER BY name`, sha1s)
}
