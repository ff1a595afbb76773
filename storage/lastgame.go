package storage

import (
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// LastGame is the latest finished game of a player, for a chat command.
type LastGame struct {
	Map      string       `json:"map" db:"map_name"`
	Began    time.Time    `json:"began" db:"started_at"`
	PlayedMS int64        `json:"played_ms"`
	Players  []LastPlayer `json:"players"`
}

// LastPlayer is a player of a LastGame. Outcome is one of the Outcome constants, "disputed" or "".
type LastPlayer struct {
	Name     string `json:"name"`
	Team     int    `json:"team"`
	Outcome  string `json:"outcome"`
	Actions  uint32 `json:"actions"`
	PlayedMS int64  `json:"played_ms"` // time played by this player
}

// LastGameOf returns the latest finished game of a player, or ErrNotFound.
func (d *Store) LastGameOf(ctx context.Context, name string) (LastGame, error) {
	// Keys sort by the time of the lobby, and the index contains them.
	g, err := sqldb.One[struct {
		Key string
		LastGame
	}](ctx, d.sql, `SELECT g.key, g.map_name, g.started_at, g.played_ms FROM game_players p JOIN games g ON g.key = p.game_key
		WHERE p.name_key = $1 AND $1 <> '' AND p.slot IS NOT NULL AND NOT p.fake AND g.ended_at IS NOT NULL ORDER BY p.game_key DESC LIMIT 1`, nameKey(name))
	if err != nil {
		return g.LastGame, err
	}
	g.Players, err = sqldb.List[LastPlayer](ctx, d.sql,
		"SELECT name, team, coalesce(outcome, '') AS outcome, actions, played_ms FROM played WHERE game_key = $1 ORDER BY team, slot", g.Key)
	return g.LastGame, err
}
