package storage

import (
	"context"
	"maps"
	"slices"
	"time"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// ladderKey identifies a player in a ladder.
type ladderKey struct{ NameKey, Realm string }

// ladderBuilder adds games to the table of a season, in the order in which they ended, within one transaction.
type ladderBuilder struct {
	tx      sqldb.Tx
	s       *seasonOf
	before  seasonState // state in the database
	state   seasonState
	known   map[ladderKey]*LadderPlayer // current rows
	changed map[ladderKey]bool          // players whose rows finish must write
}

// ladderSeat is a player of a game with the result.
type ladderSeat struct {
	GameKey              GameKey
	NameKey, Realm, Name string
	rating.Result
}

// ladderGame is a game that belongs to the season.
type ladderGame struct {
	Key     GameKey
	EndedAt time.Time
}

// next adds up to rateBatch games and returns their number; 0 means that there are no more.
func (b *ladderBuilder) next(ctx context.Context) (int64, error) {
	args := []any{b.state.CursorAt, b.state.CursorKey, rateBatch}
	where, err := b.s.condition(ctx, b.tx, &args)
	if err != nil {
		return 0, err
	}
	games, err := sqldb.List[ladderGame](ctx, b.tx, "SELECT key, ended_at FROM games WHERE "+where+" AND ended_at >= $1 AND (ended_at > $1 OR key > $2) ORDER BY ended_at, key LIMIT $3", args...)
	if err != nil || len(games) == 0 {
		return 0, err
	}
	keys := make([]string, len(games))
	for i, g := range games {
		keys[i] = g.Key.String()
	}
	seats, err := sqldb.List[ladderSeat](ctx, b.tx, `SELECT p.game_key, p.name_key, p.realm, p.name, p.team,
			coalesce((SELECT CASE WHEN min(r.value) = max(r.value) AND count(*) FILTER (WHERE r.contradicts) = 0 THEN min(r.value) WHEN min(r.value) IS NOT NULL THEN 'disputed' END
				FROM results r WHERE r.game_key = p.game_key AND r.pid = p.pid AND r.name = 'outcome' AND NOT r.doubtful), '') AS outcome
		FROM game_players p WHERE p.slot IS NOT NULL AND NOT p.fake AND p.game_key IN (SELECT value FROM json_each($1))
			AND NOT EXISTS (SELECT 1 FROM game_computers c WHERE c.game_key = p.game_key) ORDER BY p.game_key, p.slot`, keys)
	if err != nil {
		return 0, err
	}
	of := make(map[GameKey][]ladderSeat, len(games))
	for _, p := range seats {
		of[p.GameKey] = append(of[p.GameKey], p)
	}
	if err := b.read(ctx, seats); err != nil {
		return 0, err
	}
	var statements []sqldb.Statement
	for _, g := range games {
		rows, rated := b.rate(g, of[g.Key])
		statements = append(statements, rows...)
		statements = append(statements, sqldb.Statement{
			SQL: "INSERT INTO ladder_games (ladder, season, game_key, rated) VALUES ($1, $2, $3, $4)", Args: []any{b.s.Slug, b.s.number, g.Key, rated},
		})
		if rated {
			b.state.Games++
		}
	}
	last := games[len(games)-1]
	b.state.CursorAt, b.state.CursorKey = last.EndedAt, last.Key
	return int64(len(games)), b.tx.Batch(ctx, statements, nil)
}

// read adds the rows of the seats' players to known. Players without a row in this season start with the rating
// carried over from the previous one.
func (b *ladderBuilder) read(ctx context.Context, seats []ladderSeat) error {
	names := map[string]bool{}
	for _, p := range seats {
		if b.known[ladderKey{p.NameKey, p.Realm}] == nil {
			names[p.NameKey] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	list := slices.Sorted(maps.Keys(names))
	before, err := b.rows(ctx, b.s.number-1, list)
	if err != nil {
		return err
	}
	now, err := b.rows(ctx, b.s.number, list)
	if err != nil {
		return err
	}
	for _, p := range before {
		if key := (ladderKey{p.NameKey, p.Realm}); b.known[key] == nil {
			fresh, carry := rating.Newcomer(), b.s.Carry
			b.known[key] = &LadderPlayer{
				NameKey: p.NameKey, Realm: p.Realm, Name: p.Name,
				Mu: fresh.Mu + carry*(p.Mu-fresh.Mu), Sigma: fresh.Sigma + carry*(p.Sigma-fresh.Sigma),
			}
		}
	}
	for _, p := range now {
		if key := (ladderKey{p.NameKey, p.Realm}); b.known[key] == nil || b.known[key].Games == 0 {
			b.known[key] = &p
		}
	}
	return nil
}

func (b *ladderBuilder) rows(ctx context.Context, season int, names []string) ([]LadderPlayer, error) {
	return sqldb.List[LadderPlayer](ctx, b.tx, "SELECT "+selected(LadderPlayer{}, "")+` FROM ladder_players
		WHERE ladder = $1 AND season = $2 AND name_key IN (SELECT value FROM json_each($3))`, b.s.Slug, season, names)
}

// rate updates the rows of a game's players and returns the statements that store the changes. It rates no game
// whose results cannot be rated, see rating.Game, or that has a result for a player without name or, unless
// Ladder.LAN is set, without realm.
func (b *ladderBuilder) rate(g ladderGame, seats []ladderSeat) (rows []sqldb.Statement, rated bool) {
	results, before, players := make([]rating.Result, len(seats)), make([]rating.Skill, len(seats)), make([]*LadderPlayer, len(seats))
	for i, p := range seats {
		results[i] = p.Result
		if p.Outcome != "" && (p.NameKey == "" || p.Realm == "" && !b.s.LAN) {
			return nil, false
		}
		row := b.known[ladderKey{p.NameKey, p.Realm}]
		if row == nil {
			fresh := rating.Newcomer()
			row = &LadderPlayer{NameKey: p.NameKey, Realm: p.Realm, Mu: fresh.Mu, Sigma: fresh.Sigma}
		}
		players[i], before[i] = row, rating.Skill{Mu: row.Mu, Sigma: row.Sigma}
	}
	after := rating.Game(results, before)
	for i, skill := range after {
		if skill == nil || players[i].NameKey == "" {
			continue
		}
		rated = true
		p, letter := players[i], letterOf(results, i)
		p.Name, p.Mu, p.Sigma, p.LastGame = seats[i].Name, skill.Mu, skill.Sigma, g.EndedAt
		p.count(letter)
		key := ladderKey{p.NameKey, p.Realm}
		b.known[key] = p
		if b.changed == nil {
			b.changed = map[ladderKey]bool{}
		}
		b.changed[key] = true
		rows = append(rows, sqldb.Statement{
			SQL: `INSERT INTO ladder_results (ladder, season, name_key, realm, ended_at, game_key, mu_before, sigma_before, mu, sigma, result)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
			Args: []any{b.s.Slug, b.s.number, p.NameKey, p.Realm, g.EndedAt, g.Key, before[i].Mu, before[i].Sigma, p.Mu, p.Sigma, letter},
		})
	}
	return rows, rated
}

// letterOf returns the letter of player i's result: Q if the player left early, otherwise that of the team.
func letterOf(results []rating.Result, i int) string {
	letter := resultLost
	for _, r := range results {
		switch {
		case r.Team != results[i].Team:
		case r.Outcome == "won":
			letter = resultWon
		case r.Outcome == "drew" && letter != resultWon:
			letter = resultDrawn
		}
	}
	if o := results[i].Outcome; o == "left" || o == rating.Forfeited {
		return resultQuit
	}
	return letter
}

// count adds a result to the row's counters.
func (p *LadderPlayer) count(letter string) {
	p.Games++
	p.Recent = addRecent(letter, p.Recent)
	switch letter {
	case resultWon:
		p.Won++
		p.Streak = max(p.Streak, 0) + 1
		return
	case resultDrawn:
		p.Drawn++
		p.Streak = 0
		return
	case resultQuit:
		p.LeftEarly++
	default:
		p.Lost++
	}
	p.Streak = min(p.Streak, 0) - 1
}

// finish writes the changed rows and the state of the season. complete says that no more games are waiting; the
// table then becomes final if finalAfter has passed since the end of the season.
func (b *ladderBuilder) finish(ctx context.Context, complete bool, now time.Time) error {
	over := !b.s.End.IsZero() && now.After(b.s.End.Add(finalAfter))
	if complete && !over && len(b.changed) == 0 && b.state.Definition == b.before.Definition && b.state.CursorKey == b.before.CursorKey {
		return nil
	}
	statements := []sqldb.Statement{{
		SQL: `INSERT INTO ladder_seasons (ladder, season, definition, cursor_at, cursor_key, games, final) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (ladder, season) DO UPDATE SET ` + excluded("definition", "cursor_at", "cursor_key", "games", "final"),
		Args: []any{b.s.Slug, b.s.number, b.state.Definition, b.state.CursorAt, b.state.CursorKey, b.state.Games, complete && over},
	}}
	for key := range b.changed {
		p := b.known[key]
		statements = append(statements, sqldb.Statement{
			SQL: `INSERT INTO ladder_players (ladder, season, name_key, realm, name, mu, sigma, games, won, lost, drawn, left_early, streak, recent, last_game)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
				ON CONFLICT (ladder, season, name_key, realm) DO UPDATE SET ` +
				excluded("name", "mu", "sigma", "games", "won", "lost", "drawn", "left_early", "streak", "recent", "last_game"),
			Args: []any{b.s.Slug, b.s.number, p.NameKey, p.Realm, p.Name, p.Mu, p.Sigma, p.Games, p.Won, p.Lost, p.Drawn, p.LeftEarly, p.Streak, p.Recent, p.LastGame},
		})
	}
	return b.tx.Batch(ctx, statements, nil)
}
