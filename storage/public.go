package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// PublicMatch is a match as the public site shows it. It has no address, no private game, and no name of a player
// who is hidden or forgotten.
type PublicMatch struct {
	Key       GameKey
	Name      string
	Version   string
	MapName   string
	MapPath   string
	MapSHA1   string
	StartedAt time.Time
	LoadedAt  time.Time
	EndedAt   time.Time // zero: it is being played
	Ended     EndReason
	Played    time.Duration
	Seats     []PublicSeat
}

// PublicSeat is a player of a match, or a computer.
type PublicSeat struct {
	GameKey  GameKey
	PID      uint8
	Name     string // empty: not shown
	Realm    string // that has confirmed the name; empty: the LAN
	Team     int
	Colour   int
	Race     int
	LeftAt   time.Time
	Outcome  string // won, lost, drew, left, forfeited, disputed; empty: nothing is known
	Drops    int
	Computer bool
	Values   map[string]float64 `db:"-"` // kills, deaths, assists and others as the map reported them

	NameKey string
	IsOff   bool // hidden
}

// PublicDetail is a match with what happened in it.
type PublicDetail struct {
	PublicMatch
	Lags []PublicLag
	Chat []PublicLine // only of games whose entry allows it
}

// PublicLag is a wait on the lag screen.
type PublicLag struct {
	At     time.Time
	PID    uint8
	Lasted time.Duration
	Cause  string
}

// PublicLine is a line of chat that everybody in the game has read.
type PublicLine struct {
	At   time.Time
	PID  uint8
	Text string `db:"line"`
}

// PublicFilter chooses matches.
type PublicFilter struct {
	Before GameKey  // older than this one; zero: the latest
	Limit  int      // at most
	Maps   []string // SHA-1 of the map's versions; nil: all
	Player string   // with Realm: who played in it; empty: anybody
	Realm  string
}

// PublicNames says which names the site shows.
type PublicNames struct {
	LAN bool // also those that no realm has confirmed
}

const (
	// publicGame is the condition of games that the site lists. Partial indexes have the same.
	publicGame    = "NOT private AND loaded_at IS NOT NULL AND ended_at IS NOT NULL"
	publicColumns = "key, name, version, map_name, map_path, map_sha1, started_at, loaded_at, ended_at, ended, played_ms"
)

// PublicMatches lists finished matches, the latest first.
func (d *Store) PublicMatches(ctx context.Context, names PublicNames, f PublicFilter) ([]PublicMatch, error) {
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	var query string
	switch {
	case f.Player != "":
		// The condition with LIMIT keeps this from becoming a join with all games.
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

// PublicGame reads one match, finished or not; ErrNotFound for a private one, and for a lobby that has not started.
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
		return detail, nil // nothing of a running game
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

// publicSeats reads the players and computers of matches, and takes out the names that are not shown.
func (d *Store) publicSeats(ctx context.Context, names PublicNames, all []PublicMatch) error {
	if len(all) == 0 {
		return nil
	}
	keys, at := make([]string, len(all)), make(map[GameKey]*PublicMatch, len(all))
	for i := range all {
		keys[i], at[all[i].Key] = all[i].Key.String(), &all[i]
	}
	// The view "played" joins with games, which are known here.
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

// maskChat leaves out what players without a shown name have said.
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

// isForgotten reports whether a name is a token of Forget.
func isForgotten(nameKey string) bool {
	return strings.HasPrefix(nameKey, forgottenPrefix) && len(nameKey) == len(forgottenPrefix)+8
}

// publicValues reads the numbers that the map has reported of the players.
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
