package storage

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// SaveEvent records that a player has saved the game.
type SaveEvent struct {
	Game   GameKey `db:"game_key"`
	At     time.Time
	Turn   uint32
	PID    uint8
	File   string // file name used by the clients of all players
	Played time.Duration
}

// SeatOf is a player of a started game. Slots are counted from 0.
type SeatOf struct {
	Slot  int    `json:"slot"`
	PID   uint8  `json:"pid"`
	Name  string `json:"name"`
	Realm string `json:"realm,omitempty"`
	Fake  bool   `json:"fake,omitempty"`
}

// Beginning identifies the original game of a saved game.
type Beginning struct {
	MapSHA1  [20]byte
	HasSHA1  bool // from 1.23 on; earlier versions use Checksum
	Checksum uint32
	Seed     uint32
	PIDs     map[int]uint8 // pids of the players by slot
}

// WhoPlayed returns the players of the game that started this way, or ErrNotFound. Two games on one map
// hardly ever have the same random seed, which has 32 bits.
func (d *Store) WhoPlayed(ctx context.Context, b Beginning) ([]SeatOf, error) {
	column, value := "map_sha1", hex.EncodeToString(b.MapSHA1[:])
	if !b.HasSHA1 {
		column, value = "map_checksum", hex32(b.Checksum)
	}
	keys, err := sqldb.List[GameKey](ctx, d.sql, "SELECT key FROM games WHERE "+column+" = $1 AND seed = $2 AND started_at IS NOT NULL ORDER BY key DESC", value, b.Seed)
	for _, key := range keys {
		seats, err := sqldb.List[SeatOf](ctx, d.sql, `SELECT slot, pid, name, realm, fake FROM game_players
			WHERE game_key = $1 AND slot IS NOT NULL ORDER BY slot`, key)
		if err != nil || b.fits(seats) {
			return seats, err
		}
	}
	if err == nil {
		err = ErrNotFound
	}
	return nil, err
}

// fits reports whether all these players had their slots in the game. Players who left before saving may be
// missing in the save.
func (b *Beginning) fits(seats []SeatOf) bool {
	for slot, pid := range b.PIDs {
		if !slices.ContainsFunc(seats, func(s SeatOf) bool { return s.Slot == slot && s.PID == pid }) {
			return false
		}
	}
	return true
}

// SavedGame is a save of a game in the log.
type SavedGame struct {
	Game     GameKey   `json:"game" db:"game_key"`
	File     string    `json:"file"`
	At       time.Time `json:"at"`
	PlayedMS int64     `json:"played_ms"`
	Map      string    `json:"map" db:"map_name"`
	Players  string    `json:"players" db:"-"` // separated by commas
}

// Saves returns the latest saves, of one player's games if a name is given.
func (d *Store) Saves(ctx context.Context, player string, limit int) ([]SavedGame, error) {
	all, err := sqldb.List[SavedGame](ctx, d.sql, `SELECT s.game_key, s.file, s.at, s.played_ms, g.map_name FROM saves s JOIN games g ON g.key = s.game_key
		WHERE $1 = '' OR EXISTS (SELECT 1 FROM game_players p WHERE p.game_key = s.game_key AND p.name_key = $1 AND p.slot IS NOT NULL)
		ORDER BY s.game_key DESC, s.seq DESC LIMIT $2`, nameKey(player), limit)
	for i := range all {
		names, err := sqldb.List[string](ctx, d.sql, "SELECT name FROM game_players WHERE game_key = $1 AND slot IS NOT NULL ORDER BY slot", all[i].Game)
		if err != nil {
			return nil, err
		}
		all[i].Players = strings.Join(names, ", ")
	}
	return all, err
}
