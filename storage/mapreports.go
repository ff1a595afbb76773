package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"w3host/storage/internal/sqldb"
)

// ReportedGame is a game with its stored map reports, from which its results can be recomputed.
type ReportedGame struct {
	Key       GameKey
	Ended     time.Time
	Players   []ReportedPlayer // players at the start, in slot order
	Left      []ReportedLeave  // players who left, in order
	Reports   []MapReports     // in order
	Uncounted []ResultSource   // sources whose results cannot count
	Forfeited []uint8          // players who lost by leaving
}

// ReportedPlayer is a player about whom results can be reported.
type ReportedPlayer struct {
	PID    uint8
	Name   string
	Colour uint8
}

// ReportedLeave is a player's leave.
type ReportedLeave struct {
	Turn uint32 `db:"left_turn"`
	PID  uint8
}

// ReportedGames returns the keys of finished games with stored reports, in ascending order after the given
// key.
func (d *Store) ReportedGames(ctx context.Context, after GameKey, limit int) ([]GameKey, error) {
	where, args := "", []any{limit, EndCrashed, EndRemade, EndClosed}
	if !after.IsZero() {
		where, args = " AND key > $5", append(args, after)
	}
	return sqldb.List[GameKey](ctx, d.sql, `SELECT key FROM games WHERE ended_at IS NOT NULL AND ended NOT IN ($2, $3, $4)
		AND EXISTS (SELECT 1 FROM map_reports r WHERE r.game_key = games.key)`+where+" ORDER BY key LIMIT $1", args...)
}

// ReportedGame returns a game with its reports.
func (d *Store) ReportedGame(ctx context.Context, key GameKey) (*ReportedGame, error) {
	g := &ReportedGame{Key: key}
	var err error
	if g.Ended, err = sqldb.One[time.Time](ctx, d.sql, "SELECT ended_at FROM games WHERE key = $1", key); err != nil {
		return nil, notFound(err, "game %s", key)
	}
	type row struct {
		Turn    uint32
		Played  time.Duration
		Sender  uint8
		Reports json.RawMessage
	}
	var rows []row
	var uncounted []string
	for _, part := range []struct {
		to    any
		query string
	}{
		{&g.Players, "SELECT pid, name, colour FROM game_players WHERE game_key = $1 AND slot IS NOT NULL AND NOT fake ORDER BY slot"},
		{&g.Left, "SELECT left_turn, pid FROM game_players WHERE game_key = $1 AND slot IS NOT NULL AND left_at IS NOT NULL ORDER BY left_turn, left_at"},
		{&rows, "SELECT turn, played_ms, sender, CAST(reports AS text) AS reports FROM map_reports WHERE game_key = $1 ORDER BY seq"},
		{&uncounted, "SELECT DISTINCT source FROM results WHERE game_key = $1 AND pid IS NULL AND name = '" + ResultUncounted + "'"},
		{&g.Forfeited, "SELECT pid FROM results WHERE game_key = $1 AND pid IS NOT NULL AND value = '" + OutcomeForfeited + "' AND source = '" + string(SourceHost) + "'"},
	} {
		if err := sqldb.Fill(ctx, d.sql, part.to, part.query, key); err != nil {
			return nil, err
		}
	}
	for _, source := range uncounted {
		g.Uncounted = append(g.Uncounted, ResultSource(source))
	}
	for _, r := range rows {
		batch := MapReports{Game: key, Turn: r.Turn, Played: r.Played, Sender: r.Sender}
		if err := json.Unmarshal(r.Reports, &batch.Reports); err != nil {
			return nil, fmt.Errorf("the reports of game %s: %w", key, err)
		}
		g.Reports = append(g.Reports, batch)
	}
	return g, nil
}

// madeResults selects the result rows that were derived from reports.
const madeResults = "results WHERE game_key = $1 AND source IN ('w3mmd', 'dota') AND name <> '" + ResultUncounted + "'"

// ReplaceResults replaces the derived results of a game with recomputed ones and updates the totals. It
// returns whether any result differs. Ratings change only with RebuildRatings.
func (d *Store) ReplaceResults(ctx context.Context, key GameKey, results []Record) (changed bool, err error) {
	err = d.tx(ctx, func(tx sqldb.Tx) error {
		before, err := listResults(ctx, tx, key)
		if err != nil {
			return err
		}
		keys := []string{key.String()}
		if err := uncount(ctx, tx, keys); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM "+madeResults, key); err != nil {
			return err
		}
		last, err := sqldb.One[uint64](ctx, tx, "SELECT coalesce(max(seq), 0) FROM results WHERE game_key = $1", key)
		if err != nil {
			return err
		}
		w := batchWriter{seen: map[GameKey]bool{key: true}}
		for i, r := range results {
			r.write(&w, last+uint64(i)+1)
		}
		if err := tx.Batch(ctx, w.statements, w.rows); err != nil {
			return err
		}
		after, err := listResults(ctx, tx, key)
		if err != nil {
			return err
		}
		changed = !slices.Equal(before, after)
		return count(ctx, tx, keys)
	})
	return changed && err == nil, err
}

// madeResult is a result row that was derived from reports.
type madeResult struct {
	Turn                uint32
	Source, Name, Value string
	Sender              uint8
	PID                 int
	Contradicts         bool
	Doubtful            bool
}

func listResults(ctx context.Context, tx sqldb.Tx, key GameKey) ([]madeResult, error) {
	return sqldb.List[madeResult](ctx, tx, "SELECT turn, source, name, value, sender, coalesce(pid, -1) AS pid, contradicts, doubtful FROM "+madeResults+" ORDER BY seq", key)
}
