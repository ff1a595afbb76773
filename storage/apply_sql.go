package storage

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// The tables that hold a row for each event: columns for the fields of its record,
// in order, then the number of the record and what else there is.
var (
	chatTable     = events("chat", "pid smallint", "name text", "scope text", "recipient text", "line text", "seq bigint")
	lagTable      = events("lags", "pid smallint", "lasted_ms bigint", "behind bigint", "ping_ms bigint", "host_late_ms bigint", "backlog bigint", "cause text", "seq bigint")
	dropTable     = events("drops", "pid smallint", "reason text", "decided_by text", "votes smallint", "seq bigint")
	linkTable     = events("links", "pid smallint", "resumed bool", "away_ms bigint", "reason text", "seq bigint")
	desyncTable   = events("desyncs", "parts jsonb", "dossier jsonb", "seq bigint")
	resultTable   = events("results", "source text", "sender smallint", "pid smallint", "name text", "value text", "contradicts bool", "seq bigint", "number float8")
	downloadTable = &sqldb.Table{Name: "downloads", Columns: []string{
		"game_key uuid", "at timestamptz", "pid smallint", "name text", "bytes bigint", "took_ms bigint", "complete bool", "detail text", "seq bigint",
	}}
	auditTable = &sqldb.Table{Name: "audit", Columns: []string{
		"game_key uuid", "at timestamptz", "who text", "realm text", "via text", "action text", "target text", "detail text", "refused text", "seq bigint", "run uuid",
	}}
)

func events(name string, columns ...string) *sqldb.Table {
	return &sqldb.Table{Name: name, Columns: append([]string{"game_key uuid", "at timestamptz", "turn bigint"}, columns...)}
}

// selectRecords is the query for the records in a table.
func selectRecords(t *sqldb.Table) string {
	var names []string
	for _, c := range t.Columns[:slices.Index(t.Columns, "seq bigint")] {
		name, _, _ := strings.Cut(c, " ")
		names = append(names, name)
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM " + t.Name
}

// columns are the fields of a record as sqldb.List reads them.
func columns(r Record) []any {
	v := reflect.ValueOf(r)
	all := make([]any, 0, v.NumField()+2)
	for i := range v.NumField() {
		field := v.Field(i).Interface()
		if d, ok := field.(time.Duration); ok {
			field = d.Milliseconds()
		} else if v.Field(i).Kind() == reflect.String {
			field = clean(v.Field(i).String())
		}
		all = append(all, field)
	}
	return all
}

var gameCreatedSQL = `INSERT INTO games (key, host_id, run, name, owner, realm, private, game_id, version,
		map_name, map_path, map_size, map_crc32, map_checksum, map_sha1, settings, latency_ms, seed, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
	ON CONFLICT (key) DO UPDATE SET ` + excluded("name", "owner", "realm", "private", "game_id", "version",
	"map_name", "map_path", "map_size", "map_crc32", "map_checksum", "map_sha1", "settings", "latency_ms", "seed", "created_at")

// excluded sets columns, in an upsert, to what would have been inserted.
func excluded(columns ...string) string {
	for i, c := range columns {
		columns[i] = c + " = excluded." + c
	}
	return strings.Join(columns, ", ")
}

// What later records say about a player.
var (
	playerVouchedSQL = onPlayer("realm")
	playerLoadedSQL  = onPlayer("loaded_after_ms")
	playerLeftSQL    = onPlayer("left_at", "left_turn", "left_code", "left_reason", "ping_ms", "actions")
	playerStartedSQL = onPlayer("name", "name_key", "realm", "ip", "fake", "slot", "team", "colour", "race", "handicap")
)

// onPlayer sets columns of the latest player who joined with a pid: $1 game,
// $2 pid, $3 the record's number, $4 … the values. A player whose PlayerJoined
// was lost gets a row now. Players who joined after the record do not count,
// so that it means the same one when it is replayed.
func onPlayer(columns ...string) string {
	names, params := strings.Join(columns, ", "), ""
	for i := range columns {
		params += fmt.Sprintf(", $%d", i+4)
	}
	return `INSERT INTO game_players (game_key, pid, joined_seq, ` + names + `)
		VALUES ($1, $2, coalesce((SELECT max(joined_seq) FROM game_players
			WHERE game_key = $1 AND pid = $2 AND joined_seq <= $3), $3)` + params + `)
		ON CONFLICT (game_key, pid, joined_seq) DO UPDATE SET ` + excluded(columns...)
}

// address is NULL when it is not known.
func address(a netip.Addr) any {
	if !a.IsValid() {
		return nil
	}
	return a.Unmap().WithZone("").String()
}

func hex32(v uint32) string { return fmt.Sprintf("%08x", v) }

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("storage: %T is not JSON: %v", v, err)) // our own plain structs
	}
	return cleanJSON(string(b))
}

// dossierText keeps JSON as it is and anything else as a JSON string.
func dossierText(b []byte) string {
	switch {
	case len(b) == 0:
		return "null"
	case json.Valid(b):
		return cleanJSON(string(b))
	}
	return jsonText(clean(string(b)))
}

// cleanJSON drops what JSON allows but Postgres does not store: an escaped NUL.
func cleanJSON(s string) string {
	return strings.ReplaceAll(clean(s), `\u0000`, `\ufffd`)
}

type desyncGroup struct {
	Hash    string `json:"hash"`
	PIDs    PIDs   `json:"pids"`
	Dropped bool   `json:"dropped"`
}

func (r Desync) groups() []desyncGroup {
	all := []desyncGroup{}
	for _, g := range r.Groups {
		all = append(all, desyncGroup{hex32(g.Hash), slices.Sorted(slices.Values(g.PIDs)), g.Dropped})
	}
	return all
}

// number is the value as a number, NULL when it is none.
func number(value string) any {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}
