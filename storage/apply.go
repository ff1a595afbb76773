package storage

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"w3host/storage/internal/sqldb"
)

// Entry is a record with its place in the run that wrote it.
type Entry struct {
	Seq    uint64
	Record Record
}

// Batch is a row of records of one run, in order.
type Batch struct {
	HostID  string
	Run     string
	Entries []Entry
}

// Apply writes a batch and the number of its last entry in one
// transaction. Entries up to the number already there are skipped, so
// that a batch may be applied again after an error of unknown outcome.
// ErrRejected says that the database refuses a record for what is in it;
// after any other error the same batch is worth another try.
func (d *Store) Apply(ctx context.Context, b Batch) error {
	if len(b.Entries) == 0 {
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
		for _, e := range b.Entries {
			if e.Seq > applied {
				e.Record.write(&w, e.Seq)
				last = e.Seq
			}
		}
		if last == applied {
			return nil
		}
		w.put("UPDATE spool_positions SET applied = $1 WHERE run = $2", last, b.Run)
		if err := d.uncount(ctx, tx, w.counts); err != nil {
			return err
		}
		if err := tx.Batch(ctx, w.statements, w.rows); err != nil || len(w.counts) == 0 {
			return err
		}
		return d.count(ctx, tx, w.counts)
	})
}

// Audit writes a line at once, for those who have no Recorder.
func (d *Store) Audit(ctx context.Context, a AdminAction) error {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	w := batchWriter{run: NewGameKeyAt(a.At).String()}
	a.write(&w, 1)
	return d.tx(ctx, func(tx sqldb.Tx) error { return tx.Batch(ctx, nil, w.rows) })
}

// batchWriter collects what one batch writes: statements, whose order matters, and
// rows of their own, for which it does not. All of it may be written again: a row
// is named by its game and the record's number.
type batchWriter struct {
	host, run  string
	seen       map[GameKey]bool
	counts     []GameKey // the games whose records change the totals
	statements []sqldb.Statement
	rows       []sqldb.Rows
}

func (w *batchWriter) put(query string, args ...any) {
	w.statements = append(w.statements, sqldb.Statement{SQL: query, Args: args})
}

func (w *batchWriter) row(t *sqldb.Table, values []any) {
	i := slices.IndexFunc(w.rows, func(r sqldb.Rows) bool { return r.Table == t })
	if i < 0 {
		i = len(w.rows)
		w.rows = append(w.rows, sqldb.Rows{Table: t})
	}
	w.rows[i].Values = append(w.rows[i].Values, values)
}

// event adds a row with the columns of a record, the first of which is its game,
// and those that no record has.
func (w *batchWriter) event(t *sqldb.Table, game GameKey, r Record, more ...any) {
	values := append(columns(r), more...)
	values[0] = game
	w.row(t, values)
}

// game makes sure that the game's row is there: its GameCreated may be among
// the records that were lost, or the row may have been deleted by hand.
func (w *batchWriter) game(k GameKey) GameKey {
	if !w.seen[k] {
		w.seen[k] = true
		w.put(`INSERT INTO games (key, host_id, run, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING`,
			k, w.host, w.run, k.Time())
	}
	return k
}

// counted is game for a record that the totals depend on.
func (w *batchWriter) counted(k GameKey) GameKey {
	if !slices.Contains(w.counts, k) {
		w.counts = append(w.counts, k)
	}
	return w.game(k)
}

func (r GameCreated) write(w *batchWriter, _ uint64) {
	w.seen[r.Game] = true
	m := r.Map
	w.put(gameCreatedSQL,
		w.counted(r.Game), w.host, w.run, clean(r.Name), clean(r.Owner), clean(r.Realm), r.Private, r.GameID, clean(r.Version),
		clean(m.Name), clean(m.Path), m.Size, hex32(m.CRC32), hex32(m.Checksum), hex.EncodeToString(m.SHA1[:]),
		jsonText(r.Settings), r.Latency.Milliseconds(), r.Seed, r.At)
}

func (r PlayerJoined) write(w *batchWriter, seq uint64) {
	w.put(`INSERT INTO game_players (game_key, pid, joined_seq, name, name_key, realm, ip, joined_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		w.game(r.Game), r.PID, seq, clean(r.Name), nameKey(r.Name), clean(r.Realm), address(r.Addr), r.At)
}

func (r GameStarted) write(w *batchWriter, seq uint64) {
	players := 0
	for _, s := range r.Slots {
		if s.Occupant == OccupantPlayer {
			players++
		}
	}
	w.put(`UPDATE games SET started_at = $2, players = $3, replay = $4 WHERE key = $1`, w.counted(r.Game), r.At, players, clean(r.Replay))
	for _, s := range r.Slots {
		if s.Occupant == OccupantComputer {
			w.put(`INSERT INTO game_computers (game_key, slot, team, colour, race, handicap, difficulty)
				VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
				r.Game, s.Slot, s.Team, s.Colour, s.Race, s.Handicap, s.Difficulty)
			continue
		}
		w.put(playerStartedSQL, r.Game, s.PID, seq, clean(s.Name), nameKey(s.Name), clean(s.Realm), address(s.Addr),
			s.Occupant == OccupantFake, s.Slot, s.Team, s.Colour, s.Race, s.Handicap)
	}
}

func (r PlayerVouched) write(w *batchWriter, seq uint64) {
	w.put(playerVouchedSQL, w.game(r.Game), r.PID, seq, clean(r.Realm))
}

func (r PlayerLoaded) write(w *batchWriter, seq uint64) {
	w.put(playerLoadedSQL, w.game(r.Game), r.PID, seq, r.After.Milliseconds())
}

func (r GameLoaded) write(w *batchWriter, _ uint64) {
	w.put(`UPDATE games SET loaded_at = $2 WHERE key = $1`, w.counted(r.Game), r.At)
}

func (r PlayerLeft) write(w *batchWriter, seq uint64) {
	w.put(playerLeftSQL,
		w.counted(r.Game), r.PID, seq, r.At, r.Turn, r.Code, clean(r.Reason), r.Ping.Milliseconds(), r.Actions)
}

func (r GameEnded) write(w *batchWriter, _ uint64) {
	w.put(`UPDATE games SET ended_at = $2, ended = $3, ended_detail = $4, turns = $5, played_ms = $6, replay = $7 WHERE key = $1`,
		w.counted(r.Game), r.At, clean(string(r.How)), clean(r.Detail), r.Turns, r.Played.Milliseconds(), clean(r.Replay))
}

func (r ChatLine) write(w *batchWriter, seq uint64) { w.event(chatTable, w.game(r.Game), r, seq) }

func (r LagEvent) write(w *batchWriter, seq uint64) { w.event(lagTable, w.counted(r.Game), r, seq) }

func (r DropEvent) write(w *batchWriter, seq uint64) { w.event(dropTable, w.counted(r.Game), r, seq) }

func (r LinkEvent) write(w *batchWriter, seq uint64) { w.event(linkTable, w.game(r.Game), r, seq) }

func (r MapDownload) write(w *batchWriter, seq uint64) {
	w.event(downloadTable, w.game(r.Game), r, seq)
}

func (r AdminAction) write(w *batchWriter, seq uint64) { w.event(auditTable, r.Game, r, seq, w.run) }

func (r PlayerResult) write(w *batchWriter, seq uint64) {
	w.event(resultTable, w.counted(r.Game), r, seq, number(r.Value))
}

func (r MapResult) write(w *batchWriter, seq uint64) {
	w.game(r.Game)
	w.row(resultTable, append(slices.Insert(columns(r), 5, nil), seq, number(r.Value))) // the pid of nobody
}

func (r Desync) write(w *batchWriter, seq uint64) {
	w.row(desyncTable, []any{w.game(r.Game), r.At, r.Turn, jsonText(r.groups()), dossierText(r.Dossier), seq})
}
