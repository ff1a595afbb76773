package storage

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"w3host/storage/internal/sqldb"
)

// The tables that hold a row for each event.
var (
	chatTable     = eventTable("chat", "pid smallint", "name text", "scope text", "recipient text", "line text")
	lagTable      = eventTable("lags", "pid smallint", "lasted_ms bigint", "behind bigint", "ping_ms bigint", "host_late_ms bigint", "backlog bigint", "cause text")
	dropTable     = eventTable("drops", "pid smallint", "reason text", "decided_by text", "votes smallint")
	linkTable     = eventTable("links", "pid smallint", "resumed bool", "away_ms bigint", "reason text")
	desyncTable   = eventTable("desyncs", "parts jsonb", "dossier jsonb")
	resultTable   = eventTable("results", "source text", "sender smallint", "pid smallint", "name text", "value text", "number float8", "contradicts bool")
	downloadTable = table("downloads", "game_key uuid", "seq bigint", "at timestamptz", "pid smallint", "name text", "bytes bigint",
		"took_ms bigint", "complete bool", "detail text")
	auditTable = table("audit", "run uuid", "seq bigint", "at timestamptz", "game_key uuid", "who text", "realm text", "via text",
		"action text", "target text", "detail text", "refused text")
)

func eventTable(name string, columns ...string) *sqldb.Table {
	return table(name, append([]string{"game_key uuid", "seq bigint", "at timestamptz", "turn bigint"}, columns...)...)
}

func table(name string, columns ...string) *sqldb.Table {
	t := &sqldb.Table{Name: name}
	for _, c := range columns {
		column, kind, _ := strings.Cut(c, " ")
		t.Columns = append(t.Columns, sqldb.Column{Name: column, Type: kind})
	}
	return t
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
	params := make([]string, len(columns))
	sets := make([]string, len(columns))
	for i, c := range columns {
		params[i] = fmt.Sprintf("$%d", i+4)
		sets[i] = c + " = excluded." + c
	}
	return `INSERT INTO game_players (game_key, pid, joined_seq, ` + strings.Join(columns, ", ") + `)
		VALUES ($1, $2, coalesce((SELECT max(joined_seq) FROM game_players
			WHERE game_key = $1 AND pid = $2 AND joined_seq <= $3), $3), ` +
		strings.Join(params, ", ") + `)
		ON CONFLICT (game_key, pid, joined_seq) DO UPDATE SET ` + strings.Join(sets, ", ")
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

// groups are the hash groups with pids as numbers: bytes would be base64.
func (r Desync) groups() []desyncGroup {
	all := make([]desyncGroup, 0, len(r.Groups))
	for _, g := range r.Groups {
		pids := make([]int, 0, len(g.PIDs))
		for _, pid := range g.PIDs {
			pids = append(pids, int(pid))
		}
		slices.Sort(pids)
		all = append(all, desyncGroup{Hash: hex32(g.Hash), PIDs: pids, Dropped: g.Dropped})
	}
	return all
}

type desyncGroup struct {
	Hash    string `json:"hash"`
	PIDs    []int  `json:"pids"`
	Dropped bool   `json:"dropped"`
}

// number is the value as a number, NULL when it is none.
func number(value string) any {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}
