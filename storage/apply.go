package storage

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// SequencedRecord is a record with its sequence number in the run that wrote it.
type SequencedRecord struct {
	Seq    uint64
	Record Record
}

// Batch is a sequence of records of one run, in order.
type Batch struct {
	HostID  string
	Run     string
	Records []SequencedRecord
}

// Apply writes a batch and the number of its last record in one transaction. It skips records that were
// applied before, so a batch may be applied again after an error with unknown outcome. It returns ErrRejected
// if the database refuses a record because of its contents; after other errors the caller may retry the same
// batch.
func (d *Store) Apply(ctx context.Context, b Batch) error {
	if len(b.Records) == 0 {
		return nil
	}
	return d.tx(ctx, func(tx sqldb.Tx) error {
		applied, err := sqldb.One[uint64](ctx, tx, `INSERT INTO spool_positions (run, host_id, applied) VALUES ($1, $2, 0)
			ON CONFLICT (run) DO UPDATE SET host_id = excluded.host_id RETURNING applied`, b.Run, b.HostID)
		if err != nil {
			return err
		}
		w := batchWriter{host: b.HostID, run: b.Run, seen: make(map[GameKey]bool)}
		last := applied
		for _, r := range b.Records {
			if r.Seq > applied {
				r.Record.write(&w, r.Seq)
				last = r.Seq
			}
		}
		if last == applied {
			return nil
		}
		w.put("UPDATE spool_positions SET applied = $1 WHERE run = $2", last, b.Run)
		if err := uncount(ctx, tx, w.counts); err != nil {
			return err
		}
		if err := tx.Batch(ctx, w.statements, w.rows); err != nil || len(w.counts) == 0 {
			return err
		}
		return count(ctx, tx, w.counts)
	})
}

// Audit writes an audit line immediately, for callers without a Recorder.
func (d *Store) Audit(ctx context.Context, a AdminAction) error {
	a.At = cmp.Or(a.At, time.Now())
	w := batchWriter{run: NewGameKeyAt(a.At).String()}
	a.write(&w, 1)
	return d.tx(ctx, func(tx sqldb.Tx) error { return tx.Batch(ctx, nil, w.rows) })
}

// batchWriter collects the writes of one batch: statements, which run in order, and rows to insert, whose
// order does not matter. All of them may be repeated, because a row is identified by its game and the
// record's number.
type batchWriter struct {
	host, run  string
	seen       map[GameKey]bool
	counts     []string // games whose totals change
	statements []sqldb.Statement
	rows       []sqldb.Rows
}

func (w *batchWriter) put(query string, args ...any) {
	w.statements = append(w.statements, sqldb.Statement{SQL: query, Args: args})
}

// row adds a row with the columns of a record, plus more as alternating names and values.
func (w *batchWriter) row(table string, record any, more ...any) {
	names, values := pairs(more)
	names, values = append(sqldb.Columns(record), names...), append(sqldb.Values(record), values...)
	for i, v := range values {
		if text := reflect.ValueOf(v); text.Kind() == reflect.String {
			values[i] = clean(text.String())
		}
	}
	i := slices.IndexFunc(w.rows, func(r sqldb.Rows) bool { return r.Table == table && slices.Equal(r.Columns, names) })
	if i < 0 {
		i = len(w.rows)
		w.rows = append(w.rows, sqldb.Rows{Table: table, Columns: names})
	}
	w.rows[i].Values = append(w.rows[i].Values, values)
}

// pairs splits alternating names and values.
func pairs(list []any) (names []string, values []any) {
	for i := 0; i < len(list); i += 2 {
		names, values = append(names, list[i].(string)), append(values, list[i+1])
	}
	return names, values
}

// game ensures that the game's row exists. Its GameCreated record may have been lost, or the row deleted by
// hand.
func (w *batchWriter) game(k GameKey) *batchWriter {
	if !w.seen[k] {
		w.seen[k] = true
		w.put(`INSERT INTO games (key, host_id, run, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING`,
			k, w.host, w.run, k.Time())
	}
	return w
}

// counted is like game, for records that the totals depend on.
func (w *batchWriter) counted(k GameKey) *batchWriter {
	if key := k.String(); !slices.Contains(w.counts, key) {
		w.counts = append(w.counts, key)
	}
	return w.game(k)
}

// setGame sets columns of a game, given as alternating names and values.
func (w *batchWriter) setGame(k GameKey, set ...any) {
	w.counted(k)
	names, values := pairs(set)
	w.put("UPDATE games SET "+equal(names, 2, ", ")+" WHERE key = $1", append([]any{k}, values...)...)
}

// setPlayer sets columns, given as alternating names and values, of the latest player who joined with a pid.
// It creates the row if the PlayerJoined record was lost. Players who joined after record seq are ignored, so
// that a replay of the record affects the same player.
func (w *batchWriter) setPlayer(k GameKey, pid uint8, seq uint64, set ...any) {
	w.game(k)
	names, values := pairs(set)
	params := ""
	for i := range names {
		params += fmt.Sprintf(", $%d", i+4)
	}
	w.put(`INSERT INTO game_players (game_key, pid, joined_seq, `+strings.Join(names, ", ")+`)
		VALUES ($1, $2, coalesce((SELECT max(joined_seq) FROM game_players
			WHERE game_key = $1 AND pid = $2 AND joined_seq <= $3), $3)`+params+`)
		ON CONFLICT (game_key, pid, joined_seq) DO UPDATE SET `+excluded(names...),
		append([]any{k, pid, seq}, values...)...)
}

func (r GameCreated) write(w *batchWriter, _ uint64) {
	m := r.Map
	w.setGame(r.Game, "name", clean(r.Name), "owner", clean(r.Owner), "realm", clean(r.Realm), "private", r.Private,
		"game_id", r.GameID, "version", clean(r.Version), "map_name", clean(m.Name), "map_path", clean(m.Path), "map_size", m.Size,
		"map_crc32", hex32(m.CRC32), "map_checksum", hex32(m.Checksum), "map_sha1", hex.EncodeToString(m.SHA1[:]),
		"settings", jsonText(r.Settings), "latency_ms", r.Latency.Milliseconds(), "seed", r.Seed, "created_at", r.At)
}

func (r PlayerJoined) write(w *batchWriter, seq uint64) {
	w.game(r.Game)
	w.put(`INSERT INTO game_players (game_key, pid, joined_seq, name, name_key, realm, ip, joined_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		r.Game, r.PID, seq, clean(r.Name), nameKey(r.Name), clean(r.Realm), address(r.Addr), r.At)
}

func (r GameStarted) write(w *batchWriter, seq uint64) {
	players := 0
	for _, s := range r.Slots {
		if s.Occupant == OccupantPlayer {
			players++
		}
	}
	w.setGame(r.Game, "started_at", r.At, "players", players, "replay", clean(r.Replay))
	for _, s := range r.Slots {
		if s.Occupant == OccupantComputer {
			w.row("game_computers", struct{}{}, "game_key", r.Game, "slot", s.Slot, "team", s.Team, "colour", s.Colour,
				"race", s.Race, "handicap", s.Handicap, "difficulty", s.Difficulty)
			continue
		}
		w.setPlayer(r.Game, s.PID, seq, "name", clean(s.Name), "name_key", nameKey(s.Name), "realm", clean(s.Realm), "ip", address(s.Addr),
			"fake", s.Occupant == OccupantFake, "slot", s.Slot, "team", s.Team, "colour", s.Colour, "race", s.Race, "handicap", s.Handicap)
	}
}

func (r PlayerVouched) write(w *batchWriter, seq uint64) {
	w.setPlayer(r.Game, r.PID, seq, "realm", clean(r.Realm))
}

func (r PlayerLoaded) write(w *batchWriter, seq uint64) {
	w.setPlayer(r.Game, r.PID, seq, "loaded_after_ms", r.After.Milliseconds())
}

func (r GameLoaded) write(w *batchWriter, _ uint64) { w.setGame(r.Game, "loaded_at", r.At) }

func (r PlayerLeft) write(w *batchWriter, seq uint64) {
	w.counted(r.Game)
	w.setPlayer(r.Game, r.PID, seq, "left_at", r.At, "left_turn", r.Turn, "left_code", r.Code, "left_reason", clean(r.Reason),
		"ping_ms", r.Ping.Milliseconds(), "actions", r.Actions)
}

func (r GameEnded) write(w *batchWriter, _ uint64) {
	w.setGame(r.Game, "ended_at", r.At, "ended", clean(string(r.How)), "ended_detail", clean(r.Detail), "turns", r.Turns,
		"played_ms", r.Played.Milliseconds(), "replay", clean(r.Replay))
}

// Each event record becomes a row, identified by the game and the record's number.

func (r ChatLine) write(w *batchWriter, seq uint64) { w.game(r.Game).row("chat", r, "seq", seq) }

func (r LagEvent) write(w *batchWriter, seq uint64) { w.counted(r.Game).row("lags", r, "seq", seq) }

func (r DropEvent) write(w *batchWriter, seq uint64) { w.counted(r.Game).row("drops", r, "seq", seq) }

func (r LinkEvent) write(w *batchWriter, seq uint64) { w.game(r.Game).row("links", r, "seq", seq) }

func (r SaveEvent) write(w *batchWriter, seq uint64) { w.game(r.Game).row("saves", r, "seq", seq) }

func (r MapDownload) write(w *batchWriter, seq uint64) {
	w.game(r.Game).row("downloads", r, "seq", seq)
}

func (r PlayerResult) write(w *batchWriter, seq uint64) {
	w.counted(r.Game).row("results", r, "seq", seq, "number", number(r.Value))
}

func (r MapResult) write(w *batchWriter, seq uint64) {
	w.game(r.Game).row("results", r, "seq", seq, "number", number(r.Value), "pid", nil)
}

func (r MapReports) write(w *batchWriter, seq uint64) {
	w.game(r.Game)
	w.put("INSERT INTO map_reports (game_key, seq, at, turn, played_ms, sender, reports) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
		r.Game, seq, r.At, r.Turn, r.Played.Milliseconds(), r.Sender, jsonText(r.Reports))
}

func (r AdminAction) write(w *batchWriter, seq uint64) { w.row("audit", r, "run", w.run, "seq", seq) }

func (r Desync) write(w *batchWriter, seq uint64) {
	w.game(r.Game)
	w.put("INSERT INTO desyncs (game_key, seq, at, turn, parts, dossier) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
		r.Game, seq, r.At, r.Turn, jsonText(r.groups()), dossierText(r.Dossier))
}
