package storage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"w3host/storage/internal/sqldb"
)

// Forgotten is what Forget did.
type Forgotten struct {
	Token string `json:"token"` // in place of the name
	Games int64  `json:"games"` // the player was in
}

// texts is a table with texts that may hold names.
type texts struct {
	table   string
	key     []string // of a row
	columns []string
	but     string // a condition: rows that hold no names
	json    bool   // the columns are JSON: names are in its strings
}

// gameTexts hang on a game by game_key.
var gameTexts = []texts{
	{table: "chat", key: []string{"game_key", "seq"}, columns: []string{"name", "recipient", "line"}},
	{table: "drops", key: []string{"game_key", "seq"}, columns: []string{"reason", "decided_by"}},
	{table: "downloads", key: []string{"game_key", "seq"}, columns: []string{"name", "detail"}},
	{table: "results", key: []string{"game_key", "seq"}, columns: []string{"value"}, but: "name = 'outcome'"},
	{table: "desyncs", key: []string{"game_key", "seq"}, columns: []string{"dossier"}, json: true},
	{table: "game_players", key: []string{"game_key", "pid", "joined_seq"}, columns: []string{"left_reason"}},
}

// gameRow names games by key; the rest are texts beside the games.
var (
	gameRow      = texts{table: "games", key: []string{"key"}, columns: []string{"name", "owner", "ended_detail", "replay"}}
	auditRows    = texts{table: "audit", key: []string{"run", "seq"}, columns: []string{"who", "target", "detail", "refused"}}
	banRows      = texts{table: "bans", key: []string{"id"}, columns: []string{"name", "name_key", "reason", "banned_by", "lifted_by"}}
	adminRows    = texts{table: "admins", key: []string{"name_key", "realm", "network"}, columns: []string{"added_by"}}
	passwordRows = texts{table: "passwords", key: []string{"name_key"}, columns: []string{"set_by"}}
)

// Forget replaces the name of a player by a token, everywhere, and removes
// their addresses. ErrConflict while the name is banned or an admin.
func (d *Store) Forget(ctx context.Context, name string) (Forgotten, error) {
	f := Forgotten{Token: newToken()}
	key := fold(clean(name))
	if key == "" {
		return f, fmt.Errorf("%w: name a player", ErrRejected)
	}
	if err := d.mayForget(ctx, name, key); err != nil {
		return f, err
	}
	s := scrub{d, key, f.Token}
	err := d.inBatches(ctx, func(n int64) { f.Games += n }, func(tx sqldb.Tx) (bool, int64, error) {
		n, err := s.games(ctx, tx)
		return n > 0, n, err
	})
	if err != nil {
		return f, err
	}
	// Games that bear the name without the player, and what is no game's.
	like := "%" + likeEscape(key) + "%"
	if strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII }) {
		like = "%" // lower() of a database may know ASCII only
	}
	touched := int64(0)
	for _, t := range []texts{gameRow, auditRows, banRows, adminRows, passwordRows} {
		where := make([]string, len(t.columns))
		for i, c := range t.columns {
			where[i] = "lower(" + c + `) LIKE $1 ESCAPE '!'`
		}
		if err := d.tx(ctx, func(tx sqldb.Tx) error {
			n, err := s.rows(ctx, tx, t, strings.Join(where, " OR "), like)
			touched += n
			return err
		}); err != nil {
			return f, err
		}
	}
	totals, err := s.totals(ctx)
	if err == nil && f.Games+touched+totals == 0 {
		err = fmt.Errorf("nothing is stored of %s: %w", name, ErrNotFound)
	}
	return f, err
}

// mayForget refuses while the name is needed.
func (d *Store) mayForget(ctx context.Context, name, key string) error {
	var bans, admins int
	err := d.sql.One(ctx, "SELECT count(*) FROM bans WHERE name_key = $1 AND lifted_at IS NULL AND (expires_at IS NULL OR expires_at > "+d.sql.Now()+")",
		[]any{key}, &bans)
	if err == nil {
		err = d.sql.One(ctx, "SELECT count(*) FROM admins WHERE name_key = $1", []any{key}, &admins)
	}
	switch {
	case err != nil:
		return err
	case bans > 0:
		return fmt.Errorf("%w: %s is banned, and a ban needs the name; w3host unban first", ErrConflict, name)
	case admins > 0:
		return fmt.Errorf("%w: %s is an admin; w3host admin remove first", ErrConflict, name)
	}
	return nil
}

// scrub replaces a name by a token.
type scrub struct {
	*Store
	key   string // the name as fold makes it
	token string
}

// games scrubs some of the games that the player was in.
func (s scrub) games(ctx context.Context, tx sqldb.Tx) (int64, error) {
	var keys []GameKey
	err := readRows(ctx, tx, &keys, "SELECT DISTINCT game_key FROM game_players WHERE name_key = $1 ORDER BY game_key LIMIT $2", s.key, gameBatch)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	games := keyArg(keys)
	for _, t := range gameTexts {
		if _, err := s.rows(ctx, tx, t, s.inKeys("game_key"), games); err != nil {
			return 0, err
		}
	}
	if _, err := s.rows(ctx, tx, gameRow, s.inKeys("key"), games); err != nil {
		return 0, err
	}
	legacy := ""
	if s.sql.Dialect() == "postgres" {
		legacy = ", address = NULL"
	}
	_, err = tx.Exec(ctx, "UPDATE game_players SET name = $2, name_key = $2, ip = NULL"+legacy+" WHERE "+s.inKeys("game_key")+" AND name_key = $3",
		games, s.token, s.key)
	return int64(len(keys)), err
}

// rows scrubs the rows of a table that a condition on $1 chooses.
func (s scrub) rows(ctx context.Context, tx sqldb.Tx, t texts, where string, arg any) (changed int64, err error) {
	var selected []string
	for _, c := range append(t.key[:len(t.key):len(t.key)], t.columns...) {
		selected = append(selected, "CAST("+c+" AS text)")
	}
	var sets, same []string
	var updates [][]any
	for i, c := range t.columns {
		sets = append(sets, fmt.Sprintf("%s = $%d", c, i+1))
	}
	for i, c := range t.key {
		same = append(same, fmt.Sprintf("%s = $%d", c, len(t.columns)+i+1))
	}
	if t.but != "" {
		where = "(" + where + ") AND NOT (" + t.but + ")"
	}
	err = tx.Query(ctx, "SELECT "+strings.Join(selected, ", ")+" FROM "+t.table+" WHERE "+where, []any{arg}, func(scan sqldb.Scan) error {
		row := make([]string, len(selected))
		dest := make([]any, len(row))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := scan(dest...); err != nil {
			return err
		}
		key, columns := row[:len(t.key)], row[len(t.key):]
		args, hit := make([]any, 0, len(row)), false
		for _, text := range columns {
			clean := s.scrubbed(text, t.json)
			hit = hit || clean != text
			args = append(args, clean)
		}
		for _, k := range key {
			args = append(args, k)
		}
		if hit {
			updates = append(updates, args)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, args := range updates {
		if _, err := tx.Exec(ctx, "UPDATE "+t.table+" SET "+strings.Join(sets, ", ")+" WHERE "+strings.Join(same, " AND "), args...); err != nil {
			return 0, err
		}
	}
	return int64(len(updates)), nil
}

func (s scrub) scrubbed(text string, isJSON bool) string {
	if !isJSON {
		return replaceName(text, s.key, s.token)
	}
	var v any
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	if in.Decode(&v) != nil {
		return text
	}
	v, hit := s.inJSON(v)
	if !hit {
		return text // in the form it had
	}
	return jsonText(v)
}

// inJSON looks at the strings of a document; the names of its fields are ours.
func (s scrub) inJSON(v any) (any, bool) {
	hit := false
	switch v := v.(type) {
	case string:
		clean := replaceName(v, s.key, s.token)
		return clean, clean != v
	case []any:
		for i := range v {
			one, changed := s.inJSON(v[i])
			v[i], hit = one, hit || changed
		}
	case map[string]any:
		for k := range v {
			one, changed := s.inJSON(v[k])
			v[k], hit = one, hit || changed
		}
	}
	return v, hit
}

// totals come last: as long as they bear the name, the work is not done.
func (s scrub) totals(ctx context.Context) (n int64, err error) {
	err = s.tx(ctx, func(tx sqldb.Tx) error {
		for _, statement := range []string{
			"UPDATE player_totals SET name_key = $2, name = $2 WHERE name_key = $1",
			"UPDATE player_map_totals SET name_key = $2, name = $2 WHERE name_key = $1",
			"UPDATE player_value_totals SET name_key = $2 WHERE name_key = $1",
			"UPDATE ratings SET name_key = $2, name = $2 WHERE name_key = $1",
			"DELETE FROM preferences WHERE name_key = $1 AND name_key <> $2",
			"DELETE FROM passwords WHERE name_key = $1 AND name_key <> $2",
		} {
			rows, err := tx.Exec(ctx, statement, s.key, s.token)
			if err != nil {
				return err
			}
			n += rows
		}
		return nil
	})
	return n, err
}

// replaceName puts the token wherever the folded name stands as a word of its
// own, in any case.
func replaceName(text, key, token string) string {
	var b strings.Builder
	rest := text
	for i := 0; i < len(rest); {
		n := foldedPrefix(rest[i:], key)
		if n > 0 && !wordEnd(rest[:i]) && !wordBegin(rest[i+n:]) {
			b.WriteString(rest[:i] + token)
			rest, i = rest[i+n:], 0
			if rest == "" {
				break
			}
			continue
		}
		_, size := utf8.DecodeRuneInString(rest[i:])
		i += size
	}
	b.WriteString(rest)
	return b.String()
}

// foldedPrefix is the length of the beginning of text that is key, in any case.
func foldedPrefix(text, key string) int {
	rest := key
	for i, r := range text {
		if rest == "" {
			return i
		}
		lower := strings.ToLower(string(r))
		if !strings.HasPrefix(rest, lower) {
			return 0
		}
		rest = rest[len(lower):]
	}
	if rest == "" {
		return len(text)
	}
	return 0
}

func wordEnd(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && isWord(r)
}

func wordBegin(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && isWord(r)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func likeEscape(s string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(s)
}

func newToken() string {
	var b [4]byte
	rand.Read(b[:]) //nolint:errcheck // never fails since Go 1.24
	return "forgotten-" + hex.EncodeToString(b[:])
}
