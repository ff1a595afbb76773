package main

import (
	"context"
	"time"

	"w3host/storage"
)

// query is one that people wait for: before is the SQL of the program of step 3, after
// is SQL or a call of today's program.
type query struct {
	name   string
	before []string
	after  string
	call   func(context.Context, *storage.Store) error
}

// star is the most active player.
const star = "player1"

var queries = []query{
	{
		name: "player page: `w3host stats PLAYER` (the most active player)",
		before: []string{
			"SELECT * FROM player_stats WHERE name_key = '" + star + "'",
			`SELECT max(map_name), map_sha1, count(*) AS games FROM played WHERE name_key = '` + star + `' AND realm = '' GROUP BY map_sha1 ORDER BY games DESC LIMIT 10`,
			`SELECT source, name, count(*), sum(number) FROM (SELECT r.game_key, r.source, r.name, max(r.number) AS number
				FROM played p JOIN results r ON r.game_key = p.game_key AND r.pid = p.pid WHERE p.name_key = '` + star + `' AND p.realm = ''
				GROUP BY r.game_key, r.source, r.name HAVING min(r.value) = max(r.value) AND max(r.number) IS NOT NULL) told GROUP BY source, name`,
		},
		call: func(ctx context.Context, db *storage.Store) error {
			_, err := db.PlayerStats(ctx, star)
			return err
		},
	},
	{
		name:   "ladder page: 50 players with most wins",
		before: []string{"SELECT * FROM player_stats ORDER BY won DESC, lost LIMIT 50"},
		after:  "SELECT * FROM player_stats ORDER BY won DESC, lost LIMIT 50",
	},
	{
		name:   "`map_stats`, 20 maps",
		before: []string{"SELECT * FROM map_stats ORDER BY games DESC LIMIT 20"},
		after:  "SELECT * FROM map_stats ORDER BY games DESC LIMIT 20",
	},
	{
		name:   "`daily_games`, 30 days",
		before: []string{"SELECT * FROM daily_games ORDER BY day DESC LIMIT 30"},
		after:  "SELECT * FROM daily_games ORDER BY day DESC LIMIT 30",
	},
	{
		name: "`w3host games --player` (the most active player)",
		before: []string{`SELECT * FROM game_list g WHERE EXISTS (SELECT 1 FROM game_players p WHERE p.game_key = g.key AND p.slot IS NOT NULL
			AND p.name_key = '` + star + `') ORDER BY created_at DESC, key DESC LIMIT 20`},
		call: list(storage.GameFilter{Limit: 20, Player: star}),
	},
	{
		name: "`w3host games --player` (a rare player)",
		before: []string{`SELECT * FROM game_list g WHERE EXISTS (SELECT 1 FROM game_players p WHERE p.game_key = g.key AND p.slot IS NOT NULL
			AND p.name_key = 'player250000') ORDER BY created_at DESC, key DESC LIMIT 20`},
		call: list(storage.GameFilter{Limit: 20, Player: "player250000"}),
	},
	{
		name:   "`w3host games`",
		before: []string{"SELECT * FROM game_list ORDER BY created_at DESC, key DESC LIMIT 20"},
		call:   list(storage.GameFilter{Limit: 20}),
	},
	{
		name:   "`w3host games --map` (a rare map)",
		before: []string{"SELECT * FROM game_list WHERE lower(map_name) LIKE '%map 199%' ORDER BY created_at DESC, key DESC LIMIT 20"},
		call:   list(storage.GameFilter{Limit: 20, Map: "map 199"}),
	},
	{
		name:   "`w3host games --since --until`, a year ago",
		before: []string{"SELECT * FROM game_list WHERE created_at BETWEEN now() - interval '366 days' AND now() - interval '365 days' ORDER BY created_at DESC, key DESC LIMIT 20"},
		call: func(ctx context.Context, db *storage.Store) error {
			now := time.Now()
			return list(storage.GameFilter{Limit: 20, Since: now.AddDate(0, 0, -366), Before: now.AddDate(0, 0, -365)})(ctx, db)
		},
	},
	{
		name:   "games of this week, the longest first (docs)",
		before: []string{"SELECT name, map_name, players, played_ms FROM game_list WHERE started_at > now() - interval '7 days' ORDER BY played_ms DESC LIMIT 20"},
		after:  "SELECT name, map_name, players, played_ms FROM game_list WHERE started_at > now() - interval '7 days' ORDER BY played_ms DESC LIMIT 20",
	},
	{
		name:   "who played from a network of 256 addresses",
		before: []string{"SELECT DISTINCT name FROM game_players WHERE address::inet <<= '10.3.200.0/24'"},
		after:  "SELECT DISTINCT name FROM played WHERE address <<= '10.3.200.0/24'",
	},
	{
		name: "`w3host game last`",
		before: []string{
			"SELECT * FROM game_list ORDER BY created_at DESC LIMIT 1",
			"SELECT * FROM game_players WHERE game_key = (SELECT key FROM games ORDER BY created_at DESC LIMIT 1)",
		},
		call: func(ctx context.Context, db *storage.Store) error {
			_, err := db.Game(ctx, storage.GameKey{})
			return err
		},
	},
}

func list(f storage.GameFilter) func(context.Context, *storage.Store) error {
	return func(ctx context.Context, db *storage.Store) error {
		_, err := db.Games(ctx, f)
		return err
	}
}
