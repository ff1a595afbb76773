package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// Ladder is a table of ratings of its own, of public games on some maps within seasons.
type Ladder struct {
	Slug    string   // names it in the database and in addresses
	Maps    []string // categories of maps, see rating.Category; nil: all
	LAN     bool     // names count that no realm has confirmed
	Carry   float64  // share of a rating that goes on in the next season, from 0 to 1
	Seasons []Season // in order, numbered from 1
}

// Season is a span of a ladder. A game belongs to the season in which it started.
type Season struct {
	Begin time.Time
	End   time.Time // it begins no game then or later; zero: it has no end
}

// LadderPlayer is a row of a ladder's table.
type LadderPlayer struct {
	NameKey   string
	Realm     string
	Name      string
	Mu        float64
	Sigma     float64
	Games     int
	Won       int
	Lost      int
	Drawn     int
	LeftEarly int
	Streak    int    // games won one after the other; lost ones below zero
	Recent    string // the letters of the last ten games, the newest first: W, L, D and Q for one who left
	LastGame  time.Time
}

// Points is the rating as players see it.
func (p *LadderPlayer) Points() int { return rating.Skill{Mu: p.Mu, Sigma: p.Sigma}.Points() }

// Letters of results.
const (
	resultWon   = "W"
	resultLost  = "L"
	resultDrawn = "D"
	resultQuit  = "Q"
)

const (
	// lateFor is how late a game may arrive after a later one and still be put in its place.
	lateFor = 48 * time.Hour
	// finalAfter is how long after its end a season takes games that began before it.
	finalAfter = 24 * time.Hour
	mostRecent = 10
)

// firstKey sorts before all keys of games.
var firstKey = oldestKey(time.UnixMilli(1))

// seasonOf is a season of a ladder with its number.
type seasonOf struct {
	*Ladder
	Season
	number int
}

// definition changes with everything that decides what is in the table.
func (s *seasonOf) definition() string {
	return fmt.Sprint(s.Maps, s.LAN, s.Carry, s.Begin.UTC().Format(time.RFC3339), s.End.UTC().Format(time.RFC3339))
}

// seasonState is how far a season has come.
type seasonState struct {
	Definition string
	CursorAt   time.Time
	CursorKey  GameKey
	Games      int
	Final      bool
}

// all are the seasons of a ladder. One without seasons has a single one without bounds.
func (l *Ladder) all() (list []seasonOf) {
	for i, s := range l.Seasons {
		list = append(list, seasonOf{l, s, i + 1})
	}
	if list == nil {
		list = []seasonOf{{l, Season{Begin: time.Unix(0, 0)}, 1}}
	}
	return list
}

// UpdateLadder takes the games that have ended since the last call into the seasons of a ladder. The table of a season becomes
// final a day after its end. It returns how many games it has taken.
func (d *Store) UpdateLadder(ctx context.Context, l Ladder, now time.Time) (games int64, err error) {
	for _, s := range l.all() {
		if s.Begin.After(now) {
			break
		}
		n, err := d.inBatches(ctx, func(ctx context.Context, tx sqldb.Tx) (int64, error) { return d.updateSeason(ctx, tx, s, now) })
		if games += n; err != nil {
			return games, err
		}
	}
	return games, nil
}

// RebuildLadder makes the tables of all seasons anew from the games that are kept, in one transaction each. It refuses where
// games of a season are no longer kept.
func (d *Store) RebuildLadder(ctx context.Context, l Ladder, now time.Time) (games int64, err error) {
	for _, s := range l.all() {
		if s.Begin.After(now) {
			break
		}
		n, err := inTx(ctx, d, func(tx sqldb.Tx) (int64, error) {
			if err := lockLadders(ctx, tx); err != nil {
				return 0, err
			}
			lost, err := s.lost(ctx, tx)
			if err != nil || lost {
				return 0, errors.Join(err, fmt.Errorf("%w: games of season %d of %s are no longer in the game log, so that its table cannot be made again", ErrRejected, s.number, s.Slug))
			}
			return s.anew(ctx, tx, now)
		})
		if games += n; err != nil {
			return games, err
		}
	}
	return games, nil
}

// lockLadders keeps other hosts from changing ladders until the transaction ends.
func lockLadders(ctx context.Context, tx sqldb.Tx) error {
	return tx.OnPostgres(ctx, "LOCK TABLE ladder_seasons IN EXCLUSIVE MODE")
}

// updateSeason takes the next games of a season.
func (d *Store) updateSeason(ctx context.Context, tx sqldb.Tx, s seasonOf, now time.Time) (int64, error) {
	if err := lockLadders(ctx, tx); err != nil {
		return 0, err
	}
	state, err := s.state(ctx, tx)
	switch {
	case err != nil || state.Final:
		return 0, err
	case state.Definition != s.definition(): // it has just begun, or is another by the configuration
		return s.anew(ctx, tx, now)
	}
	late, err := s.isLate(ctx, tx, &state)
	if err != nil {
		return 0, err
	}
	if late {
		if lost, err := s.lost(ctx, tx); err != nil || !lost {
			if err != nil {
				return 0, err
			}
			return s.anew(ctx, tx, now)
		}
	}
	b := ladderBuilder{tx: tx, s: &s, before: state, state: state, known: map[ladderKey]*LadderPlayer{}}
	n, err := b.next(ctx)
	if err != nil {
		return 0, err
	}
	return n, b.finish(ctx, n == 0, now)
}

// state reads how far a season has come; a zero definition: it has not begun.
func (s *seasonOf) state(ctx context.Context, q sqldb.Queryer) (seasonState, error) {
	state, err := sqldb.One[seasonState](ctx, q, "SELECT definition, cursor_at, cursor_key, games, final FROM ladder_seasons WHERE ladder = $1 AND season = $2", s.Slug, s.number)
	if errors.Is(err, ErrNotFound) {
		return seasonState{}, nil
	}
	return state, err
}

// isLate reports whether games have arrived that ended before the last one that is in.
func (s *seasonOf) isLate(ctx context.Context, q sqldb.Queryer, state *seasonState) (bool, error) {
	args := []any{state.CursorAt.Add(-lateFor), state.CursorAt, state.CursorKey, s.Slug, s.number}
	where, err := s.chosen(ctx, q, &args)
	if err != nil {
		return false, err
	}
	return sqldb.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM games g WHERE `+where+` AND ended_at >= $1 AND (ended_at < $2 OR ended_at = $2 AND key <= $3)
		AND NOT EXISTS (SELECT 1 FROM ladder_games l WHERE l.ladder = $4 AND l.season = $5 AND l.game_key = g.key))`, args...)
}

// lost reports whether the log no longer has games that are in the season.
func (s *seasonOf) lost(ctx context.Context, q sqldb.Queryer) (bool, error) {
	return sqldb.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM ladder_games l WHERE l.ladder = $1 AND l.season = $2 AND l.rated
		AND NOT EXISTS (SELECT 1 FROM games g WHERE g.key = l.game_key))`, s.Slug, s.number)
}

// chosen is the condition of the games of a season, whose arguments it appends.
func (s *seasonOf) chosen(ctx context.Context, q sqldb.Queryer, args *[]any) (string, error) {
	arg := func(v any) string {
		*args = append(*args, v)
		return fmt.Sprintf("$%d", len(*args))
	}
	where := publicGame + " AND started_at >= " + arg(s.Begin)
	if !s.End.IsZero() {
		where += " AND started_at < " + arg(s.End)
	}
	if s.Maps == nil {
		return where, nil
	}
	maps, err := mapsOf(ctx, q, s.Maps)
	return where + " AND map_sha1 IN (SELECT value FROM json_each(" + arg(maps) + "))", err
}

// mapsOf lists the versions of maps of categories, by their SHA-1.
func mapsOf(ctx context.Context, q sqldb.Queryer, categories []string) ([]string, error) {
	all, err := sqldb.List[struct {
		MapName string
		SHA1    string `db:"map_sha1"`
	}](ctx, q, "SELECT map_name, map_sha1 FROM map_totals")
	list := []string{}
	for _, m := range all {
		category := rating.Category(m.MapName)
		for _, c := range categories {
			if c == category {
				list = append(list, m.SHA1)
			}
		}
	}
	return list, err
}

// anew makes the table of a season from its beginning.
func (s *seasonOf) anew(ctx context.Context, tx sqldb.Tx, now time.Time) (games int64, err error) {
	for _, table := range []string{"ladder_players", "ladder_results", "ladder_games", "ladder_seasons"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE ladder = $1 AND season = $2", s.Slug, s.number); err != nil {
			return 0, err
		}
	}
	state := seasonState{Definition: s.definition(), CursorAt: s.Begin, CursorKey: firstKey}
	b := ladderBuilder{tx: tx, s: s, state: state, known: map[ladderKey]*LadderPlayer{}}
	for {
		n, err := b.next(ctx)
		if err != nil {
			return games, err
		}
		if games += n; n == 0 {
			return games, b.finish(ctx, true, now)
		}
	}
}
