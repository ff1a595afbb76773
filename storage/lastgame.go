package storage

import (
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// LastGame is the game that a player has played last, as callers in the chat want it.
type LastGame struct {
	Map      string       `json:"map" db:"map_name"`
	Began    time.Time    `json:"began" db:"started_at"`
	PlayedMS int64        `json:"played_ms"`
	Players  []LastPlayer `json:"players"`
}

// LastPlayer is one who played in it. The outcome is one of the Outcome words, "disputed", or empty.
type LastPlayer struct {
	Name     string `json:"name"`
	Team     int    `json:"team"`
	Outcome  string `json:"outcome"`
	Actions  uint32 `json:"actions"`
	PlayedMS int64  `json:"played_ms"` // by this player
}

// LastGameOf finds the latest game of a player that has ended; ErrNotFound without one.
func (d *Store) LastGameOf(ctx context.Context, name string) (LastGame, error) {
	// Keys of games are in the order of their lobbies, and the index has them.
	g, err := sqldb.One[struct {
		Key string
		LastGame
	}](ctx, d.sql, `SELECT g.key, g.map_name, g.started_at, g.played_ms FROM game_players p JOIN games g ON g.key = p.game_key
		WHERE p.name_key = $1 AND p.slot IS NOT NULL AND NOT p.fake AND g.ended_at IS NOT NULL ORDER BY p.game_key DESC LIMIT 1`, nameKey(name))
	if err != nil {
		return g.LastGame, err
	}
	g.Players, err = sqldb.List[LastPlayer](ctx, d.sql,
		"SELECT name, team, coalesce(outcome, '') AS outcome, actions, played_ms FROM played WHERE game_key = $1 ORDER BY team, slot", g.Key)
	return g.LastGame, err
}
