package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// Game is an entry of the list of games. Its fields are columns of the view game_list.
type Game struct {
	Key         GameKey   `json:"key"`
	Name        string    `json:"name"`
	Owner       string    `json:"owner,omitempty"`
	Realm       string    `json:"realm,omitempty"`
	Host        string    `json:"host"`
	Version     string    `json:"version"`
	MapName     string    `json:"map_name"`
	MapSHA1     string    `json:"map_sha1"`
	Players     int       `json:"players"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
	StartedAt   time.Time `json:"started_at,omitzero"`
	LoadedAt    time.Time `json:"loaded_at,omitzero"`
	EndedAt     time.Time `json:"ended_at,omitzero"`
	Ended       EndReason `json:"ended,omitempty"`
	EndedDetail string    `json:"ended_detail,omitempty"`
	Turns       uint32    `json:"turns"`
	PlayedMS    int64     `json:"played_ms"`
	LatencyMS   int64     `json:"latency_ms"`
	ChatLines   int       `json:"chat_lines"`
	Desyncs     int       `json:"desyncs"`
	Replay      string    `json:"replay,omitempty"`
}

// GameFilter selects games; zero fields do not restrict. Times refer to when the lobby opened, which the keys
// contain.
type GameFilter struct {
	Limit  int       // maximum number, latest first; 0 means 50
	Since  time.Time // opened at this time or later
	Before time.Time // opened before this time
	Player string    // name of a player in the game
	Map    string    // part of the map's name, ignoring case
	Open   bool      // only games that have not ended
}

// GamePlayer is a person who joined a game. Slot is -1 for those who left before the start.
type GamePlayer struct {
	PID           uint8     `json:"pid"`
	Name          string    `json:"name"`
	Realm         string    `json:"realm,omitempty"`
	Address       string    `json:"address,omitempty"`
	Fake          bool      `json:"fake,omitempty"`
	Slot          int       `json:"slot"`
	Team          int       `json:"team"`
	Colour        int       `json:"colour"`
	Race          int       `json:"race"`
	Handicap      int       `json:"handicap"`
	JoinedAt      time.Time `json:"joined_at,omitzero"`
	LoadedAfterMS int64     `json:"loaded_after_ms"`
	LeftAt        time.Time `json:"left_at,omitzero"`
	LeftTurn      uint32    `json:"left_turn"`
	LeftCode      uint32    `json:"left_code"`
	LeftReason    string    `json:"left_reason,omitempty"`
	PingMS        int64     `json:"ping_ms"`
	Actions       uint32    `json:"actions"`
}

// Called returns the player's name, or "Player N" with the pid for a player without name.
func (p *GamePlayer) Called() string { return cmp.Or(p.Name, fmt.Sprintf("Player %d", p.PID)) }

// GameDetail is all stored data of one game.
type GameDetail struct {
	Game
	GameID   uint32          `json:"game_id"`
	Private  bool            `json:"private"`
	MapPath  string          `json:"map_path"`
	MapSize  int64           `json:"map_size"`
	MapCRC32 string          `json:"map_crc32"`
	Checksum string          `json:"map_checksum" db:"map_checksum"`
	Settings json.RawMessage `json:"settings"`
	Seed     uint32          `json:"seed"`
	// UnratedReason explains why the database refused ratings of the game; it is empty for other games.
	UnratedReason string `json:"unrated_reason,omitempty"`

	People    []GamePlayer  `json:"people"`
	Computers []StartedSlot `json:"computers"`
	Chat      []ChatLine    `json:"chat"`
	Lags      []LagEvent    `json:"lags"`
	Drops     []DropEvent   `json:"drops"`
	Links     []LinkEvent   `json:"links"`
	Saves     []SaveEvent   `json:"saves"`
	Dossiers  []Dossier     `json:"dossiers"`
	Downloads []MapDownload `json:"downloads"`
	Results   []ResultValue `json:"results"`
	Audit     []AdminAction `json:"audit"`
}

// Dossier is a stored desync report.
type Dossier struct {
	At     time.Time       `json:"at"`
	Turn   uint32          `json:"turn"`
	Groups json.RawMessage `json:"groups" db:"parts"`
	Detail json.RawMessage `json:"detail" db:"dossier"`
}

// ResultValue is a value that one client reported about a player, or about the game (PID -1).
type ResultValue struct {
	Source       ResultSource `json:"source"`
	Sender       uint8        `json:"sender"`
	PID          int          `json:"pid"`
	Name         string       `json:"name"`
	Value        string       `json:"value"`
	Contradicted bool         `json:"contradicted"`
	Doubtful     bool         `json:"doubtful"` // possibly fabricated by a player
}

// selected returns the column list for a row type, each prefixed with of.
func selected(row any, of string) string {
	return of + strings.Join(sqldb.Columns(row), ", "+of)
}

// Games returns games, latest first.
func (d *Store) Games(ctx context.Context, f GameFilter) ([]Game, error) {
	if f.Limit <= 0 {
		f.Limit = 50
	}
	var maps hits
	if f.Map != "" {
		var err error
		if maps, err = d.mapsCalled(ctx, f); err != nil || len(maps.sha1) == 0 {
			return []Game{}, err
		}
	}
	// Keys sort by time, so the latest games are at one end of every index that ends with the key. The page's
	// keys are selected first and only their games are read; Postgres would read many more games in a join.
	var query string
	var args []any
	where := func(condition string, arg any) {
		args = append(args, arg)
		query += fmt.Sprintf(" AND "+condition, len(args))
	}
	key := "key"
	f.Open = f.Open || maps.open
	few := maps.games > 0 && maps.games <= fewGames
	switch {
	case f.Player != "" && !f.Open && !(few && maps.games < 10*maps.looks):
		key = "p.game_key"
		query = "SELECT p.game_key FROM game_players p WHERE p.slot IS NOT NULL AND NOT p.fake"
		where("p.name_key = $%d", nameKey(f.Player))
		if f.Map != "" {
			where("(SELECT x.map_sha1 FROM games x WHERE x.key = p.game_key) IN (SELECT value FROM json_each($%d))", maps.sha1)
		}
	default:
		query = "SELECT key FROM games WHERE true"
		switch {
		case f.Map == "":
		case few && !f.Open: // the index on map_sha1 finds them
			where("map_sha1 IN (SELECT value FROM json_each($%d))", maps.sha1)
		// The index on open games finds the few open ones. Otherwise scan from the latest game, because such
		// games are frequent. The expression keeps the planner from using the index on map_sha1.
		default:
			where("map_sha1 || '' IN (SELECT value FROM json_each($%d))", maps.sha1)
		}
		if f.Player != "" { // Check for each game whether the player was in it. LIMIT prevents a join with all games of the player.
			where("(SELECT 1 FROM game_players p WHERE p.name_key = $%d AND p.game_key = games.key AND p.slot IS NOT NULL AND NOT p.fake LIMIT 1) = 1", nameKey(f.Player))
		}
	}
	if !f.Since.IsZero() {
		where(key+" >= $%d", oldestKey(f.Since))
	}
	if !f.Before.IsZero() {
		where(key+" < $%d", oldestKey(f.Before))
	}
	if f.Open {
		query += " AND ended_at IS NULL"
	}
	args = append(args, f.Limit)
	query = fmt.Sprintf("SELECT %s FROM game_list g WHERE g.key IN (%s ORDER BY %s DESC LIMIT $%d) ORDER BY g.key DESC", selected(Game{}, "g."), query, key, len(args))
	return sqldb.List[Game](ctx, d.sql, query, args...)
}

// fewGames is the number of games of the matching maps up to which they are searched via the maps.
const fewGames = 20_000

// hits describes the maps that match a filter.
type hits struct {
	sha1  []string
	games int64 // number of games on them
	looks int64 // estimated number of the player's games to look at until a page is full
	open  bool  // the player has only unfinished games on them
}

// mapsCalled returns the maps that match a filter, with counts for choosing the query. With a player, only
// maps the player has played or that are being played now are returned, because many maps may share a common
// word.
func (d *Store) mapsCalled(ctx context.Context, f GameFilter) (h hits, err error) {
	pattern := "%" + likeEscape(strings.ToLower(f.Map)) + "%"
	found, err := sqldb.List[struct {
		Sum, Open int64
		SHA1      string `db:"map_sha1"`
	}](ctx, d.sql, `SELECT sum(lobbies) AS sum, sum(open) AS open, map_sha1 FROM (SELECT map_sha1, lobbies, 0 AS open FROM map_totals WHERE lower(map_name) LIKE $1 ESCAPE '!'
		UNION ALL SELECT map_sha1, 1, 1 FROM games WHERE ended_at IS NULL AND lower(map_name) LIKE $1 ESCAPE '!') AS m GROUP BY map_sha1`, pattern)
	if err != nil {
		return h, err
	}
	played, everywhere, there := map[string]int64{}, int64(0), int64(0)
	if f.Player != "" && len(found) > 0 {
		of, err := sqldb.List[struct {
			Games int64
			SHA1  string `db:"map_sha1"`
		}](ctx, d.sql, "SELECT sum(games) AS games, map_sha1 FROM player_map_totals WHERE name_key = $1 GROUP BY map_sha1", nameKey(f.Player))
		if err != nil {
			return h, err
		}
		for _, m := range of {
			played[m.SHA1], everywhere = m.Games, everywhere+m.Games
		}
	}
	for _, m := range found {
		if f.Player == "" || played[m.SHA1] > 0 || m.Open > 0 {
			h.sha1, h.games, there = append(h.sha1, m.SHA1), h.games+m.Sum, there+played[m.SHA1]
		}
	}
	h.open = f.Player != "" && there == 0
	h.looks = min(everywhere, int64(f.Limit)*everywhere/max(there, 1)) + 1
	return h, nil
}

// Game returns one game, or ErrNotFound. The zero key selects the latest game that was played, not a lobby.
func (d *Store) Game(ctx context.Context, key GameKey) (*GameDetail, error) {
	if key.IsZero() {
		latest, err := sqldb.One[GameKey](ctx, d.sql, "SELECT key FROM games WHERE started_at IS NOT NULL ORDER BY key DESC LIMIT 1")
		if err != nil {
			return nil, notFound(err, "no game has been played")
		}
		key = latest
	}
	g, err := sqldb.One[GameDetail](ctx, d.sql, "SELECT "+selected(Game{}, "g.")+`, x.game_id, x.private, x.map_path, x.map_size, x.map_crc32, x.map_checksum,
		CAST(x.settings AS text) AS settings, x.seed, x.unrated_reason FROM game_list g JOIN games x ON x.key = g.key WHERE g.key = $1`, key)
	if err != nil {
		return nil, notFound(err, "game %s", key)
	}
	for _, part := range []struct {
		to    any
		query string
		order string
	}{
		{&g.People, `SELECT pid, name, realm, CAST(ip AS text) AS address, fake, coalesce(slot, -1) AS slot, team, colour, race, handicap, joined_at,
			loaded_after_ms, left_at, left_turn, left_code, left_reason, ping_ms, actions FROM game_players`, "joined_seq, slot, pid"},
		{&g.Computers, "SELECT 'computer' AS occupant, slot, team, colour, race, handicap, difficulty FROM game_computers", "slot"},
		{&g.Chat, "SELECT " + selected(ChatLine{}, "") + " FROM chat", "seq"},
		{&g.Lags, "SELECT " + selected(LagEvent{}, "") + " FROM lags", "seq"},
		{&g.Drops, "SELECT " + selected(DropEvent{}, "") + " FROM drops", "seq"},
		{&g.Links, "SELECT " + selected(LinkEvent{}, "") + " FROM links", "seq"},
		{&g.Saves, "SELECT " + selected(SaveEvent{}, "") + " FROM saves", "seq"},
		{&g.Dossiers, "SELECT at, turn, CAST(parts AS text) AS parts, CAST(dossier AS text) AS dossier FROM desyncs", "seq"},
		{&g.Downloads, "SELECT " + selected(MapDownload{}, "") + " FROM downloads", "seq"},
		{&g.Audit, "SELECT " + selected(AdminAction{}, "") + " FROM audit", "at, seq"},
		{&g.Results, "SELECT source, sender, coalesce(pid, -1) AS pid, name, value, contradicted, doubtful FROM result_values", "seq"},
	} {
		if err := sqldb.Fill(ctx, d.sql, part.to, part.query+" WHERE game_key = $1 ORDER BY "+part.order, key); err != nil {
			return nil, err
		}
	}
	for i := range g.People {
		g.People[i].Address, _, _ = strings.Cut(g.People[i].Address, "/") // Postgres appends /32
	}
	return &g, nil
}
