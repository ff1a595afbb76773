package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"w3host/storage/internal/sqldb"
)

// Forgotten is the result of Forget.
type Forgotten struct {
	Token string `json:"token"` // replacement for the name
	Games int64  `json:"games"` // number of games the player was in
}

// texts describes columns of a table that may contain player names.
type texts struct {
	table   string
	key     string // key columns
	columns string
	but     string // SQL condition for rows without names
	json    bool   // the columns are JSON; only its strings may contain names
}

var (
	// gameTexts are tables whose rows belong to a game by game_key.
	gameTexts = []texts{
		{table: "chat", key: "game_key, seq", columns: "name, recipient, line"},
		{table: "drops", key: "game_key, seq", columns: "reason, decided_by"},
		{table: "saves", key: "game_key, seq", columns: "file"},
		{table: "downloads", key: "game_key, seq", columns: "name, detail"},
		{table: "results", key: "game_key, seq", columns: "value", but: "name = 'outcome'"},
		{table: "results", key: "game_key, seq", columns: "name", but: "pid IS NOT NULL OR name NOT LIKE '%: %'"}, // a person who was not a player of the game
		{table: "desyncs", key: "game_key, seq", columns: "dossier", json: true},
		{table: "map_reports", key: "game_key, seq", columns: "reports", json: true},
		{table: "game_players", key: "game_key, pid, joined_seq", columns: "left_reason"},
	}
	gameRow = texts{table: "games", key: "key", columns: "name, owner, ended_detail, replay, unrated_reason"}
	// otherTexts are tables outside of games.
	otherTexts = []texts{
		gameRow, // games whose texts contain the name of a player who was not in them
		{table: "audit", key: "run, seq", columns: "who, target, detail, refused"},
		{table: "bans", key: "id", columns: "name, name_key, reason, banned_by, lifted_by"},
		{table: "remarks", key: "id", columns: "name, name_key, line, made_by, lifted_by"},
		{table: "admins", key: "name_key, realm, network", columns: "added_by"},
		{table: "passwords", key: "name_key", columns: "set_by"},
		{table: "map_heroes", key: "map_sha1, hero", columns: "hero"},
	}
)

// forgottenPrefix is the prefix of the tokens that replace forgotten names.
const forgottenPrefix = "forgotten-"

// Forget replaces a player's name with a token everywhere and deletes the player's addresses. It returns
// ErrConflict while the name is banned or an admin, and ErrNotFound if nothing is stored about it.
func (d *Store) Forget(ctx context.Context, name string) (Forgotten, error) {
	f := Forgotten{Token: fmt.Sprintf("%s%08x", forgottenPrefix, rand.Uint32())}
	key := nameKey(name)
	if key == "" {
		return f, fmt.Errorf("%w: name a player", ErrRejected)
	}
	if err := d.mayForget(ctx, name, key); err != nil {
		return f, err
	}
	s := scrub{d, key, f.Token, likePattern(key)}
	var err error
	if f.Games, err = d.inBatches(ctx, s.games); err != nil {
		return f, err
	}
	touched := f.Games
	for _, t := range otherTexts {
		n, err := s.table(ctx, t)
		if err != nil {
			return f, err
		}
		touched += n
	}
	totals, err := inTx(ctx, d, func(tx sqldb.Tx) (int64, error) { return s.totals(ctx, tx) })
	return f, requireRows(touched+totals, err, ErrNotFound, "nothing is stored about %s", name)
}

// mayForget returns ErrConflict while the name is needed.
func (d *Store) mayForget(ctx context.Context, name, key string) error {
	needed, err := sqldb.One[struct{ Bans, Admins int }](ctx, d.sql, `SELECT
		(SELECT count(*) FROM bans WHERE name_key = $1 AND lifted_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS bans,
		(SELECT count(*) FROM admins WHERE name_key = $1) AS admins`, key)
	switch {
	case err != nil:
		return err
	case needed.Bans > 0:
		return fmt.Errorf("%w: %s is banned, and a ban needs the name; w3host ban remove first", ErrConflict, name)
	case needed.Admins > 0:
		return fmt.Errorf("%w: %s is an admin; w3host admin remove first", ErrConflict, name)
	}
	return nil
}

// scrub replaces a name with a token.
type scrub struct {
	*Store
	key   string // name in the form returned by fold
	token string
	like  string // pattern for folded texts that may contain the name
}

// games scrubs a batch of the games that the player was in.
func (s scrub) games(ctx context.Context, tx sqldb.Tx) (n int64, err error) {
	keys, err := sqldb.List[string](ctx, tx, "SELECT DISTINCT game_key FROM game_players WHERE name_key = $1 ORDER BY game_key LIMIT $2", s.key, gameBatch)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if err := s.all(ctx, tx, gameRow, "key IN (SELECT value FROM json_each($1))", keys); err != nil {
		return 0, err
	}
	for _, t := range gameTexts {
		if err := s.all(ctx, tx, t, "game_key IN (SELECT value FROM json_each($1))", keys); err != nil {
			return 0, err
		}
	}
	_, err = tx.Exec(ctx, "UPDATE game_players SET name = $2, name_key = $2, ip = NULL WHERE game_key IN (SELECT value FROM json_each($1)) AND name_key = $3",
		keys, s.token, s.key)
	return int64(len(keys)), err
}

// all scrubs the rows of a table selected by a condition on $1.
func (s scrub) all(ctx context.Context, tx sqldb.Tx, t texts, where string, arg any) error {
	c := chunk{texts: t, where: where, args: []any{arg}}
	for more := true; more; {
		var err error
		if _, more, err = s.next(ctx, tx, &c); err != nil {
			return err
		}
	}
	return nil
}

// table scrubs a table in several transactions.
func (s scrub) table(ctx context.Context, t texts) (changed int64, err error) {
	c := chunk{texts: t, where: "1 = 1"}
	for more := true; more; {
		err = s.tx(ctx, func(tx sqldb.Tx) error {
			n, goesOn, err := s.next(ctx, tx, &c)
			changed, more = changed+n, goesOn
			return err
		})
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// forgetRows is the number of rows processed at once, which bounds memory and the length of a transaction.
const forgetRows = 2000

// chunk is a position in a table that is processed in key order.
type chunk struct {
	texts
	where string // condition that selects rows
	args  []any
	after []string // key of the last processed row; nil at the start
}

// next scrubs the next rows; more is false after the last ones.
func (s scrub) next(ctx context.Context, tx sqldb.Tx, c *chunk) (changed int64, more bool, err error) {
	columns, keys := strings.Split(c.columns, ", "), strings.Split(c.key, ", ")
	where, args := c.where, slices.Clone(c.args)
	if c.after != nil {
		where += " AND (" + c.key + ") > (" + parameters(&args, c.after) + ")"
	}
	ends, err := sqldb.List[[]string](ctx, tx, "SELECT "+asTexts(keys)+" FROM "+c.table+" WHERE "+where+fmt.Sprintf(" ORDER BY %s LIMIT 1 OFFSET %d", c.key, forgetRows-1), args...)
	if err != nil {
		return 0, false, err
	}
	if more = len(ends) > 0; more {
		c.after = ends[0]
		where += " AND (" + c.key + ") <= (" + parameters(&args, c.after) + ")"
	}
	if c.but != "" {
		where += " AND NOT (" + c.but + ")"
	}
	if !c.json { // JSON may spell a name differently
		like := " LIKE " + parameters(&args, []string{s.like}) + " ESCAPE '!'"
		where += " AND (lower(" + strings.Join(columns, ")"+like+" OR lower(") + ")" + like + ")"
	}
	rows, err := sqldb.List[[]string](ctx, tx, "SELECT "+asTexts(append(columns, keys...))+" FROM "+c.table+" WHERE "+where, args...)
	if err != nil {
		return 0, false, err
	}
	changed, err = s.update(ctx, tx, &c.texts, rows)
	return changed, more, err
}

// update writes the rows that contain the name.
func (s scrub) update(ctx context.Context, tx sqldb.Tx, t *texts, rows [][]string) (changed int64, err error) {
	columns, keys := strings.Split(t.columns, ", "), strings.Split(t.key, ", ")
	update := "UPDATE " + t.table + " SET " + equal(columns, 1, ", ") + " WHERE " + equal(keys, len(columns)+1, " AND ")
	for _, row := range rows {
		args, hit := make([]any, len(row)), false
		for i, text := range row {
			if args[i] = text; i < len(columns) {
				args[i] = s.scrubbed(text, t.json)
				hit = hit || args[i] != text
			}
		}
		if !hit {
			continue
		}
		changed++
		if _, err := tx.Exec(ctx, update, args...); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// asTexts returns SQL that selects columns as text.
func asTexts(columns []string) string {
	return "CAST(" + strings.Join(columns, " AS text), CAST(") + " AS text)"
}

// parameters appends values to a statement's arguments and returns their placeholders.
func parameters(args *[]any, values []string) string {
	places := make([]string, len(values))
	for i, v := range values {
		*args = append(*args, v)
		places[i] = fmt.Sprintf("$%d", len(*args))
	}
	return strings.Join(places, ", ")
}

// equal returns SQL that assigns or compares columns with the arguments numbered from from.
func equal(columns []string, from int, separator string) string {
	terms := make([]string, len(columns))
	for i, c := range columns {
		terms[i] = fmt.Sprintf("%s = $%d", c, from+i)
	}
	return strings.Join(terms, separator)
}

// jsonString matches a string in a JSON document, with the following colon if it is a field name.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"\s*:?`)

// escaped converts a name to the spelling in W3MMD reports.
var escaped = strings.NewReplacer(`\`, `\\`, " ", `\ `)

func (s scrub) scrubbed(text string, isJSON bool) string {
	if !isJSON {
		return replaceName(text, s.key, s.token)
	}
	return jsonString.ReplaceAllStringFunc(text, func(old string) string {
		var v string
		if json.Unmarshal([]byte(old), &v) == nil { // field names fail to parse because of the colon and are kept
			if clean := replaceName(replaceName(v, s.key, s.token), escaped.Replace(s.key), s.token); clean != v {
				return string(jsonText(clean))
			}
		}
		return old
	})
}

// totals scrubs the totals. They come last, because as long as they contain the name the work is unfinished.
func (s scrub) totals(ctx context.Context, tx sqldb.Tx) (n int64, err error) {
	for _, statement := range []string{
		"UPDATE player_totals SET name_key = $2, name = $2 WHERE name_key = $1",
		"UPDATE player_map_totals SET name_key = $2, name = $2 WHERE name_key = $1",
		"UPDATE player_value_totals SET name_key = $2 WHERE name_key = $1",
		"UPDATE ratings SET name_key = $2, name = $2 WHERE name_key = $1",
		"UPDATE ladder_players SET name_key = $2, name = $2 WHERE name_key = $1",
		"UPDATE ladder_results SET name_key = $2 WHERE name_key = $1",
		"DELETE FROM hidden WHERE name_key = $1 AND name_key <> $2",
		"DELETE FROM preferences WHERE name_key = $1 AND name_key <> $2",
		"DELETE FROM ignored WHERE (name_key = $1 OR other_key = $1) AND name_key <> $2",
		"DELETE FROM passwords WHERE name_key = $1 AND name_key <> $2",
	} {
		rows, err := tx.Exec(ctx, statement, s.key, s.token)
		if err != nil {
			return 0, err
		}
		n += rows
	}
	return n, nil
}

// Mask returns a text with an ellipsis in place of a player's name.
func Mask(text, name string) string {
	key := nameKey(name)
	if key == "" {
		return text
	}
	return replaceName(text, key, "…")
}

// replaceName replaces every occurrence of the folded name as a separate word, in any case, with the token.
func replaceName(text, key, token string) string {
	var b strings.Builder
	old, folded, name := []rune(text), []rune(strings.ToLower(text)), []rune(key)
	for i := 0; i < len(old); {
		end := i + len(name)
		if end <= len(old) && slices.Equal(folded[i:end], name) && (i == 0 || !isWord(old[i-1])) && (end == len(old) || !isWord(old[end])) {
			b.WriteString(token)
			i = end
			continue
		}
		b.WriteRune(old[i])
		i++
	}
	return b.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// likePattern returns a LIKE pattern that matches every lower-case text containing a folded name. lower() of
// some databases only handles ASCII, so other letters with two cases become wildcards.
func likePattern(key string) string {
	var b strings.Builder
	b.WriteByte('%')
	for _, r := range key {
		if r <= unicode.MaxASCII || unicode.SimpleFold(r) == r {
			b.WriteString(likeEscape(string(r)))
		} else {
			b.WriteByte('%')
		}
	}
	b.WriteByte('%')
	return b.String()
}

func likeEscape(s string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(s)
}
