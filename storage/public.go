package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// PublicMatch is a game as the public site shows it. It contains no IP addresses, and no names of hidden or
// forgotten players. Private games are never returned as one.
type PublicMatch struct {
	Key       GameKey
	Name      string
	Version   string
	MapName   string
	MapPath   string
	MapSHA1   string
	StartedAt time.Time
	LoadedAt  time.Time
	EndedAt   time.Time // zero while the game is running
	Ended     EndReason
	Played    time.Duration
	Seats     []PublicSeat
}

// PublicSeat is a human or computer player of a match.
type PublicSeat struct {
	GameKey  GameKey
	PID      uint8
	Name     string // empty if it must not be shown
	Realm    string // realm that has confirmed the name; empty for the LAN
	Team     int
	Colour   int
	Race     int
	LeftAt   time.Time
	Outcome  string // won, lost, drew, left, forfeited or disputed; empty if unknown
	Drops    int
	Computer bool
	Values   map[string]float64 `db:"-"` // numbers reported by the map, by lower-case name, such as kills

	NameKey string
	IsOff   bool // whether the player is hidden or forgotten
}

// PublicDetail is a match with its lags and chat. Both are empty while the game is running.
type PublicDetail struct {
	PublicMatch
	Lags []PublicLag
	Chat []PublicLine // only if Settings.PublicChat is set for the game
}

// PublicLag is a player's time on the lag screen.
type PublicLag struct {
	At     time.Time
	PID    uint8
	Lasted time.Duration
	Cause  string
}

// PublicLine is a chat line that was sent to everybody in the game.
type PublicLine struct {
	At   time.Time
	PID  uint8
	Text string `db:"line"`
}

// PublicFilter selects matches.
type PublicFilter struct {
	Before GameKey  // only games with smaller keys, which are older; zero for the latest
	Limit  int      // maximum number of matches
	Maps   []string // SHA-1s of the map's versions; nil for all maps
	Player string   // name of a player, with Realm; empty for all games
	Realm  string
	Keys   []GameKey // only these games; nil for all
}

// PublicNames determines which names the site shows.
type PublicNames struct {
	LAN bool // show names that no realm has confirmed, too
}

const (
	// publicGame is the SQL condition for games that the site lists. It must stay the same as that of the partial
	// indexes.
	publicGame    = "NOT private AND loaded_at IS NOT NULL AND ended_at IS NOT NULL"
	publicColumns = "key, name, version, map_name, map_path, map_sha1, started_at, loaded_at, ended_at, ended, played_ms"
)

// PublicMatches returns finished matches, latest first. If f.Keys is set, only f.Limit
// counts beside it; if f.Player is set, f.Maps is ignored.
func (d *Store) PublicMatches(ctx context.Context, names PublicNames, f PublicFilter) ([]PublicMatch, error) {
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	var query string
	switch {
	case f.Keys != nil:
		keys := make([]string, len(f.Keys))
		for i, key := range f.Keys {
			keys[i] = key.String()
		}
		query = "SELECT key FROM games WHERE " + publicGame + " AND key IN (SELECT value FROM json_each(" + arg(keys) + "))"
	case f.Player != "":
		// As a subquery, the condition keeps the planner from joining with all games.
		query = `SELECT p.game_key FROM game_players p WHERE p.slot IS NOT NULL AND NOT p.fake AND p.name_key = ` + arg(nameKey(f.Player)) + ` AND p.realm = ` + arg(clean(f.Realm)) +
			` AND (SELECT 1 FROM games x WHERE x.key = p.game_key AND ` + publicGame + `) = 1`
		if !f.Before.IsZero() {
			query += " AND p.game_key < " + arg(f.Before)
		}
		query += " ORDER BY p.game_key DESC"
	default:
		query = "SELECT key FROM games WHERE " + publicGame
		if f.Maps != nil {
			query += " AND map_sha1 IN (SELECT value FROM json_each(" + arg(f.Maps) + "))"
		}
		if !f.Before.IsZero() {
			query += " AND key < " + arg(f.Before)
		}
		query += " ORDER BY key DESC"
	}
	query = "SELECT " + publicColumns + " FROM games WHERE key IN (" + query + " LIMIT " + arg(f.Limit) + ") ORDER BY key DESC"
	all, err := sqldb.List[PublicMatch](ctx, d.sql, query, args...)
	if err != nil {
		return nil, err
	}
	return all, d.publicSeats(ctx, names, all)
}

// PublicGame returns one match, running or finished. It returns ErrNotFound if there is none, for private games,
// and for lobbies that have not started.
func (d *Store) PublicGame(ctx context.Context, names PublicNames, key GameKey) (*PublicDetail, error) {
	g, err := sqldb.One[struct {
		PublicMatch
		Settings json.RawMessage
	}](ctx, d.sql, "SELECT "+publicColumns+", CAST(settings AS text) AS settings FROM games WHERE key = $1 AND NOT private AND started_at IS NOT NULL", key)
	if err != nil {
		return nil, notFound(err, "match %s", key)
	}
	m := []PublicMatch{g.PublicMatch}
	if err := d.publicSeats(ctx, names, m); err != nil {
		return nil, err
	}
	detail := &PublicDetail{PublicMatch: m[0]}
	if detail.EndedAt.IsZero() {
		return detail, nil // details of running games are not shown
	}
	if err := d.publicValues(ctx, &detail.PublicMatch); err != nil {
		return nil, err
	}
	if err := sqldb.Fill(ctx, d.sql, &detail.Lags, "SELECT at, pid, lasted_ms, cause FROM lags WHERE game_key = $1 ORDER BY seq LIMIT 200", key); err != nil {
		return nil, err
	}
	var s Settings
	if err := json.Unmarshal(g.Settings, &s); err != nil || !s.PublicChat {
		return detail, nil
	}
	if err := sqldb.Fill(ctx, d.sql, &detail.Chat, "SELECT at, pid, line FROM chat WHERE game_key = $1 AND scope = 'all' ORDER BY seq LIMIT 300", key); err != nil {
		return nil, err
	}
	detail.maskChat()
	return detail, nil
}

// publicSeats reads the seats of all matches, and removes names that must not be shown from seats and game names.
func (d *Store) publicSeats(ctx context.Context, names PublicNames, all []PublicMatch) error {
	if len(all) == 0 {
		return nil
	}
	keys, at := make([]string, len(all)), make(map[GameKey]*PublicMatch, len(all))
	for i := range all {
		keys[i], at[all[i].Key] = all[i].Key.String(), &all[i]
	}
	// This does not use the view "played", which would join with games again.
	seats, err := sqldb.List[PublicSeat](ctx, d.sql, `SELECT p.game_key, p.pid, p.name, p.name_key, p.realm, p.team, p.colour, p.race, p.left_at,
			coalesce((SELECT CASE WHEN min(r.value) = max(r.value) AND count(*) FILTER (WHERE r.contradicts) = 0 THEN min(r.value) WHEN min(r.value) IS NOT NULL THEN 'disputed' END
				FROM results r WHERE r.game_key = p.game_key AND r.pid = p.pid AND r.name = 'outcome' AND NOT r.doubtful), '') AS outcome,
			(SELECT count(*) FROM drops d WHERE d.game_key = p.game_key AND d.pid = p.pid) AS drops,
			EXISTS (SELECT 1 FROM hidden h WHERE h.name_key = p.name_key) AS is_off
		FROM game_players p WHERE p.slot IS NOT NULL AND NOT p.fake AND p.game_key IN (SELECT value FROM json_each($1)) ORDER BY p.game_key, p.team, p.slot`, keys)
	if err != nil {
		return err
	}
	computers, err := sqldb.List[PublicSeat](ctx, d.sql, `SELECT game_key, team, colour, race FROM game_computers WHERE game_key IN (SELECT value FROM json_each($1)) ORDER BY game_key, team, slot`, keys)
	if err != nil {
		return err
	}
	for _, s := range computers {
		s.Computer = true
		at[s.GameKey].Seats = append(at[s.GameKey].Seats, s)
	}
	for _, s := range seats {
		m := at[s.GameKey]
		s.IsOff = s.IsOff || isForgotten(s.NameKey)
		if s.IsOff || s.Realm == "" && !names.LAN {
			m.Name = Mask(m.Name, s.NameKey)
			s.Name, s.NameKey = "", ""
		}
		m.Seats = append(m.Seats, s)
	}
	return nil
}

// maskChat removes the chat lines of players whose names are not shown.
func (g *PublicDetail) maskChat() {
	shown := map[uint8]bool{}
	for i := range g.Seats {
		shown[g.Seats[i].PID] = g.Seats[i].Name != ""
	}
	kept := g.Chat[:0]
	for _, line := range g.Chat {
		if shown[line.PID] {
			kept = append(kept, line)
		}
	}
	g.Chat = kept
}

// isForgotten reports whether a name is a token with which Forget has replaced a name.
func isForgotten(nameKey string) bool {
	return strings.HasPrefix(nameKey, forgottenPrefix) && len(nameKey) == len(forgottenPrefix)+8
}

// publicValues reads the undisputed numbers that the map reported about the players.
func (d *Store) publicValues(ctx context.Context, m *PublicMatch) error {
	values, err := sqldb.List[struct {
		PID    uint8
		Name   string
		Number float64
	}](ctx, d.sql, `SELECT pid, name, max(number) AS number FROM results WHERE game_key = $1 AND pid IS NOT NULL AND number IS NOT NULL AND NOT doubtful
		GROUP BY pid, source, name HAVING min(value) = max(value) AND count(*) FILTER (WHERE contradicts) = 0 LIMIT 1000`, m.Key)
	if err != nil {
		return err
	}
	for _, v := range values {
		for i := range m.Seats {
			s := &m.Seats[i]
			if s.PID != v.PID || s.Computer {
				continue
			}
			if s.Values == nil {
				s.Values = map[string]float64{}
			}
			s.Values[strings.ToLower(v.Name)] = v.Number
		}
	}
	return nil
}
