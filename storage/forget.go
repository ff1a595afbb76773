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
	Token string `json:"token"` // in place of the name
	Games int64  `json:"games"` // the player was in
}

// texts is a table with texts that may hold names.
type texts struct {
	table   string
	key     string // of a row: columns
	columns string
	but     string // a condition: rows that hold no names
	json    bool   // the columns are JSON: names are in its strings
}

var (
	// gameTexts hang on a game by game_key.
	gameTexts = []texts{
		{table: "chat", key: "game_key, seq", columns: "name, recipient, line"},
		{table: "drops", key: "game_key, seq", columns: "reason, decided_by"},
		{table: "saves", key: "game_key, seq", columns: "file"},
		{table: "downloads", key: "game_key, seq", columns: "name, detail"},
		{table: "results", key: "game_key, seq", columns: "value", but: "name = 'outcome'"},
		{table: "results", key: "game_key, seq", columns: "name", but: "pid IS NOT NULL OR name NOT LIKE '%: %'"}, // of somebody who is no player
		{table: "desyncs", key: "game_key, seq", columns: "dossier", json: true},
		{table: "map_reports", key: "game_key, seq", columns: "reports", json: true},
		{table: "game_players", key: "game_key, pid, joined_seq", columns: "left_reason"},
	}
	gameRow = texts{table: "games", key: "key", columns: "name, owner, ended_detail, replay, unrated_reason"}
	// otherTexts are beside the games.
	otherTexts = []texts{
		gameRow, // of games that bear the name without the player
		{table: "audit", key: "run, seq", columns: "who, target, detail, refused"},
		{table: "bans", key: "id", columns: "name, name_key, reason, banned_by, lifted_by"},
		{table: "remarks", key: "id", columns: "name, name_key, line, made_by, lifted_by"},
		{table: "admins", key: "name_key, realm, network", columns: "added_by"},
		{table: "passwords", key: "name_key", columns: "set_by"},
	}
)

// forgottenPrefix begins the tokens that stand in place of names.
const forgottenPrefix = "forgotten-"

// Forget replaces the name of a player by a token, everywhere, and removes
// their addresses. ErrConflict while the name is banned or an admin.
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
	return f, some(touched+totals, err, ErrNotFound, "nothing is stored about %s", name)
}

// mayForget refuses while the name is needed.
func (d *Store) mayForget(ctx context.Context, name, key string) error {
	needed, err := sqldb.One[struct{ Bans, Admins int }](ctx, d.sql, `SELECT
		(SELECT count(*) FROM bans WHERE name_key = $1 AND lifted_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS bans,
		(SELECT count(*) FROM admins WHERE name_key = $1) AS admins`, key)
	switch {
	case err != nil:
		return err
	case needed.Bans > 0:
		return fmt.Errorf("%w: %s is banned, and a ban needs the name; w3host unban first", ErrConflict, name)
	case needed.Admins > 0:
		return fmt.Errorf("%w: %s is an admin; w3host admin remove first", ErrConflict, name)
	}
	return nil
}

// scrub replaces a name by a token.
type scrub struct {
	*Store
	key   string // the name as fold makes it
	token string
	like  string // matches the folded texts that may hold the name
}

// games scrubs some of the games that the player was in.
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

// all scrubs the rows of a table that a condition on $1 chooses.
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

// table scrubs a table, some rows in each transaction.
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

// forgetRows is how many rows of a table are looked at together, so that neither their texts nor the transaction grow
// with the table.
const forgetRows = 2000

// chunk is a place in a table that is gone through in the order of its keys.
type chunk struct {
	texts
	where string // which rows
	args  []any
	after []string // the key of the last row so far; nil at the beginning
}

// next scrubs the next rows; more is false behind the last.
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
	if !c.json { // a document may write a name otherwise
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

// update writes the rows back that hold the name.
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

// asTexts selects columns as texts.
func asTexts(columns []string) string {
	return "CAST(" + strings.Join(columns, " AS text), CAST(") + " AS text)"
}

// parameters appends values to the arguments of a statement, and gives their places in it.
func parameters(args *[]any, values []string) string {
	places := make([]string, len(values))
	for i, v := range values {
		*args = append(*args, v)
		places[i] = fmt.Sprintf("$%d", len(*args))
	}
	return strings.Join(places, ", ")
}

// equal sets columns to, or compares them with, the arguments from one on.
func equal(columns []string, from int, separator string) string {
	terms := make([]string, len(columns))
	for i, c := range columns {
		terms[i] = fmt.Sprintf("%s = $%d", c, from+i)
	}
	return strings.Join(terms, separator)
}

// jsonString is a string in a document, with the colon behind the name of a field.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"\s*:?`)

// escaped writes a name as reports of W3MMD hold it.
var escaped = strings.NewReplacer(`\`, `\\`, " ", `\ `)

func (s scrub) scrubbed(text string, isJSON bool) string {
	if !isJSON {
		return replaceName(text, s.key, s.token)
	}
	return jsonString.ReplaceAllStringFunc(text, func(old string) string {
		var v string
		if json.Unmarshal([]byte(old), &v) == nil { // names of fields are never a player's
			if clean := replaceName(replaceName(v, s.key, s.token), escaped.Replace(s.key), s.token); clean != v {
				return string(jsonText(clean))
			}
		}
		return old
	})
}

// totals come last: as long as they bear the name, the work is not done.
func (s scrub) totals(ctx context.Context, tx sqldb.Tx) (n int64, err error) {
	for _, statement := range []string{
		"UPDATE player_totals SET name_key = $2, name = $2 WHERE name_key = $1",
		"UPDATE player_map_totals SET name_key = $2, name = $2 WHERE name_key = $1",
		"UPDATE player_value_totals SET name_key = $2 WHERE name_key = $1",
		"UPDATE ratings SET name_key = $2, name = $2 WHERE name_key = $1",
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

// Mask is a text with an ellipsis in place of a player's name.
func Mask(text, name string) string {
	key := nameKey(name)
	if key == "" {
		return text
	}
	return replaceName(text, key, "…")
}

// replaceName puts the token wherever the folded name stands as a word of its
// own, in any case.
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

// likePattern matches every text that holds a folded name, when the database has folded the text. lower() of a database
// may know the letters of ASCII alone, so other letters match anything, unless they have one case.
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
