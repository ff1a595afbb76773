package main

import (
	"context"
	"time"

	"w3host/storage"
)

// query is one that people wait for: SQL or a call of the program.
type query struct {
	name string
	sql  string
	call func(context.Context, *storage.Store) error
}

// star is the most active player.
const star = "player1"

var queries = []query{
	{
		name: "player page: `w3host stats PLAYER` (the most active player)",
		call: func(ctx context.Context, db *storage.Store) error {
			_, err := db.PlayerStats(ctx, star)
			return err
		},
	},
	{
		name: "ladder page: 50 players with most wins",
		sql:  "SELECT * FROM player_stats ORDER BY won DESC, lost LIMIT 50",
	},
	{
		name: "`map_stats`, 20 maps",
		sql:  "SELECT * FROM map_stats ORDER BY games DESC LIMIT 20",
	},
	{
		name: "`daily_games`, 30 days",
		sql:  "SELECT * FROM daily_games ORDER BY day DESC LIMIT 30",
	},
	{
		name: "`w3host games --player` (the most active player)",
		call: list(storage.GameFilter{Limit: 20, Player: star}),
	},
	{
		name: "`w3host games --player` (a rare player)",
		call: list(storage.GameFilter{Limit: 20, Player: "player250000"}),
	},
	{
		name: "`w3host games`",
		call: list(storage.GameFilter{Limit: 20}),
	},
	{
		name: "`w3host games --map` (a rare map)",
		call: list(storage.GameFilter{Limit: 20, Map: "map 199"}),
	},
	{
		name: "`w3host games --since --until`, a year ago",
		call: func(ctx context.Context, db *storage.Store) error {
			now := time.Now()
			return list(storage.GameFilter{Limit: 20, Since: now.AddDate(0, 0, -366), Before: now.AddDate(0, 0, -365)})(ctx, db)
		},
	},
	{
		name: "games of this week, the longest first (docs)",
		sql:  "SELECT name, map_name, players, played_ms FROM game_list WHERE started_at > now() - interval '7 days' ORDER BY played_ms DESC LIMIT 20",
	},
	{
		name: "who played from a network of 256 addresses",
		sql:  "SELECT DISTINCT name FROM played WHERE address <<= '10.3.200.0/24'",
	},
	{
		name: "`w3host game last`",
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
