package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// Ladder is a ranking of players by their public games on some maps. Each of its seasons has a table and ratings
// of its own.
type Ladder struct {
	Slug    string   // identifies the ladder in the database and in web addresses
	Maps    []string // categories of maps, see rating.Category; nil means all maps
	LAN     bool     // rate players whose names no realm has confirmed, too
	Carry   float64  // fraction of a rating that is carried over to the next season, from 0 to 1
	Seasons []Season // in order of time; the first has number 1
}

// Season is a time span of a ladder. A game belongs to the season in which it started.
type Season struct {
	Begin time.Time
	End   time.Time // games that start at this time or later do not belong to it; zero means no end
}

// LadderPlayer is a player's row in the table of one season. Mu and Sigma are those of rating.Skill.
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
	Streak    int    // number of consecutive wins, or minus the number of consecutive losses
	Recent    string // results of the last ten games, newest first: W won, L lost, D drawn, Q left early
	LastGame  time.Time
}

// Points returns the rating as a single number, as players see it.
func (p *LadderPlayer) Points() int { return rating.Skill{Mu: p.Mu, Sigma: p.Sigma}.Points() }

// Letters of results in LadderPlayer.Recent and LadderPoint.Result.
const (
	resultWon   = "W"
	resultLost  = "L"
	resultDrawn = "D"
	resultQuit  = "Q"
)

const (
	// lateFor is how far back UpdateLadder looks for games that reached the database after later ones. If it finds
	// one, the season is computed again.
	lateFor = 48 * time.Hour
	// finalAfter is how long after its end a season still accepts games that started before the end.
	finalAfter = 24 * time.Hour
	mostRecent = 10
)

// firstKey sorts before the keys of all games.
var firstKey = oldestKey(time.UnixMilli(1))

// seasonOf is one season of a ladder, and its number.
type seasonOf struct {
	*Ladder
	Season
	number int
}

// definition returns a text of all settings that affect the season's table. If it differs from the stored one,
// the table must be computed again.
func (s *seasonOf) definition() string {
	return fmt.Sprint(s.Maps, s.LAN, s.Carry, s.Begin.UTC().Format(time.RFC3339), s.End.UTC().Format(time.RFC3339))
}

// seasonState is the stored state of a season. The cursor is the last game that its table contains.
type seasonState struct {
	Definition string
	CursorAt   time.Time
	CursorKey  GameKey
	Games      int
	Final      bool
}

// allSeasons returns the seasons of a ladder, or a single unlimited one if none are configured.
func (l *Ladder) allSeasons() (list []seasonOf) {
	for i, s := range l.Seasons {
		list = append(list, seasonOf{l, s, i + 1})
	}
	if list == nil {
		list = []seasonOf{{l, Season{Begin: time.Unix(0, 0)}, 1}}
	}
	return list
}

// UpdateLadder adds the games that have ended since the last call to the tables of a ladder, and returns their
// number. A season's table becomes final a day after the season's end.
func (d *Store) UpdateLadder(ctx context.Context, l Ladder, now time.Time) (games int64, err error) {
	for _, s := range l.allSeasons() {
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

// RebuildLadder computes the tables of all seasons again from the game log, with one transaction per season. It
// returns the number of games, and ErrRejected at the first season of which games have been deleted.
func (d *Store) RebuildLadder(ctx context.Context, l Ladder, now time.Time) (games int64, err error) {
	for _, s := range l.allSeasons() {
		if s.Begin.After(now) {
			break
		}
		n, err := inTx(ctx, d, func(tx sqldb.Tx) (int64, error) {
			if err := lockLadders(ctx, tx); err != nil {
				return 0, err
			}
			lost, err := s.lost(ctx, tx)
			if err != nil || lost {
				return 0, errors.Join(err, fmt.Errorf("%w: the table of season %d of %s cannot be computed again, because some of its games have been deleted", ErrRejected, s.number, s.Slug))
			}
			return s.rebuild(ctx, tx, now)
		})
		if games += n; err != nil {
			return games, err
		}
	}
	return games, nil
}

// lockLadders prevents other hosts from changing ladders until the transaction ends.
func lockLadders(ctx context.Context, tx sqldb.Tx) error {
	return tx.OnPostgres(ctx, "LOCK TABLE ladder_seasons IN EXCLUSIVE MODE")
}

// updateSeason adds the next games to the table of a season, or computes the table again if necessary.
func (d *Store) updateSeason(ctx context.Context, tx sqldb.Tx, s seasonOf, now time.Time) (int64, error) {
	if err := lockLadders(ctx, tx); err != nil {
		return 0, err
	}
	state, err := s.state(ctx, tx)
	switch {
	case err != nil || state.Final:
		return 0, err
	case state.Definition != s.definition(): // the season is new, or its settings have changed
		return s.rebuild(ctx, tx, now)
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
			return s.rebuild(ctx, tx, now)
		}
	}
	b := ladderBuilder{tx: tx, s: &s, before: state, state: state, known: map[ladderKey]*LadderPlayer{}}
	n, err := b.next(ctx)
	if err != nil {
		return 0, err
	}
	return n, b.finish(ctx, n == 0, now)
}

// state reads the stored state of a season, or returns the zero state if none is stored.
func (s *seasonOf) state(ctx context.Context, q sqldb.Queryer) (seasonState, error) {
	state, err := sqldb.One[seasonState](ctx, q, "SELECT definition, cursor_at, cursor_key, games, final FROM ladder_seasons WHERE ladder = $1 AND season = $2", s.Slug, s.number)
	if errors.Is(err, ErrNotFound) {
		return seasonState{}, nil
	}
	return state, err
}

// isLate reports whether the database has games that ended before the cursor and are missing from the season's
// table.
func (s *seasonOf) isLate(ctx context.Context, q sqldb.Queryer, state *seasonState) (bool, error) {
	args := []any{state.CursorAt.Add(-lateFor), state.CursorAt, state.CursorKey, s.Slug, s.number}
	where, err := s.condition(ctx, q, &args)
	if err != nil {
		return false, err
	}
	return sqldb.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM games g WHERE `+where+` AND ended_at >= $1 AND (ended_at < $2 OR ended_at = $2 AND key <= $3)
		AND NOT EXISTS (SELECT 1 FROM ladder_games l WHERE l.ladder = $4 AND l.season = $5 AND l.game_key = g.key))`, args...)
}

// lost reports whether games in the season's table have been deleted from the game log.
func (s *seasonOf) lost(ctx context.Context, q sqldb.Queryer) (bool, error) {
	return sqldb.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM ladder_games l WHERE l.ladder = $1 AND l.season = $2 AND l.rated
		AND NOT EXISTS (SELECT 1 FROM games g WHERE g.key = l.game_key))`, s.Slug, s.number)
}

// condition returns the SQL condition for the games of the season, and appends its arguments to args.
func (s *seasonOf) condition(ctx context.Context, q sqldb.Queryer, args *[]any) (string, error) {
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

// mapsOf returns the SHA-1s of all maps of the given categories.
func mapsOf(ctx context.Context, q sqldb.Queryer, categories []string) ([]string, error) {
	return sqldb.List[string](ctx, q, "SELECT map_sha1 FROM map_totals WHERE category IN (SELECT value FROM json_each($1)) ORDER BY map_sha1", categories)
}

// rebuild computes the table of a season from its first game.
func (s *seasonOf) rebuild(ctx context.Context, tx sqldb.Tx, now time.Time) (games int64, err error) {
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
