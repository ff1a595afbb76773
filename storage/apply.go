package storage

import (
	"context"
	"encoding/hex"
	"slices"

	"w3host/storage/internal/sqldb"
)

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
		var applied uint64
		err := tx.One(ctx, `INSERT INTO spool_positions (run, host_id, applied) VALUES ($1, $2, 0)
			ON CONFLICT (run) DO UPDATE SET host_id = excluded.host_id RETURNING applied`,
			[]any{b.Run, b.HostID}, &applied)
		if err != nil {
			return err
		}
		entries := b.Entries
		for len(entries) > 0 && entries[0].Seq <= applied {
			entries = entries[1:]
		}
		if len(entries) == 0 {
			return nil
		}
		w := batchWriter{host: b.HostID, run: b.Run, seen: make(map[GameKey]bool)}
		for _, e := range entries {
			w.add(e)
		}
		w.put("UPDATE spool_positions SET applied = $1 WHERE run = $2", entries[len(entries)-1].Seq, b.Run)
		if len(w.counts) == 0 {
			return tx.Batch(ctx, w.statements, w.rows)
		}
		if err := d.uncount(ctx, tx, w.counts); err != nil {
			return err
		}
		if err := tx.Batch(ctx, w.statements, w.rows); err != nil {
			return err
		}
		_, err = d.count(ctx, tx, w.counts)
		return err
	})
}

// batchWriter collects what one batch writes: statements, whose order matters, and
// rows of their own, for which it does not.
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

func (w *batchWriter) row(t *sqldb.Table, values ...any) {
	for i := range w.rows {
		if w.rows[i].Table == t {
			w.rows[i].Values = append(w.rows[i].Values, values)
			return
		}
	}
	w.rows = append(w.rows, sqldb.Rows{Table: t, Values: [][]any{values}})
}

// game makes sure that the game's row is there: its GameCreated may be among
// the records that were lost, or somebody may have deleted the row.
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

// add turns a record into statements. All of them may run again: a row is
// named by its game and the record's number.
func (w *batchWriter) add(e Entry) {
	switch r := e.Record.(type) {
	case GameCreated:
		w.gameCreated(r)
	case PlayerJoined:
		w.put(`INSERT INTO game_players (game_key, pid, joined_seq, name, name_key, realm, ip, joined_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
			w.game(r.Game), r.PID, e.Seq, clean(r.Name), fold(clean(r.Name)), clean(r.Realm), address(r.Addr), r.At)
	case GameStarted:
		w.gameStarted(e.Seq, r)
	case PlayerVouched:
		w.put(playerVouchedSQL, w.game(r.Game), r.PID, e.Seq, clean(r.Realm))
	case PlayerLoaded:
		w.put(playerLoadedSQL, w.game(r.Game), r.PID, e.Seq, r.After.Milliseconds())
	case GameLoaded:
		w.put(`UPDATE games SET loaded_at = $2 WHERE key = $1`, w.counted(r.Game), r.At)
	case PlayerLeft:
		w.put(playerLeftSQL,
			w.counted(r.Game), r.PID, e.Seq, r.At, r.Turn, r.Code, clean(r.Reason), r.Ping.Milliseconds(), r.Actions)
	case GameEnded:
		w.put(`UPDATE games SET ended_at = $2, ended = $3, ended_detail = $4, turns = $5, played_ms = $6, replay = $7 WHERE key = $1`,
			w.counted(r.Game), r.At, clean(string(r.How)), clean(r.Detail), r.Turns, r.Played.Milliseconds(), clean(r.Replay))
	default:
		w.event(e.Seq, r)
	}
}

func (w *batchWriter) gameCreated(r GameCreated) {
	w.seen[r.Game] = true
	m := r.Map
	w.put(`INSERT INTO games (key, host_id, run, name, owner, realm, private, game_id, version,
			map_name, map_path, map_size, map_crc32, map_checksum, map_sha1, settings, latency_ms, seed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
		ON CONFLICT (key) DO UPDATE SET name = excluded.name, owner = excluded.owner, realm = excluded.realm,
			private = excluded.private, game_id = excluded.game_id, version = excluded.version,
			map_name = excluded.map_name, map_path = excluded.map_path, map_size = excluded.map_size,
			map_crc32 = excluded.map_crc32, map_checksum = excluded.map_checksum, map_sha1 = excluded.map_sha1,
			settings = excluded.settings, latency_ms = excluded.latency_ms, seed = excluded.seed, created_at = excluded.created_at`,
		w.counted(r.Game), w.host, w.run, clean(r.Name), clean(r.Owner), clean(r.Realm), r.Private, r.GameID, clean(r.Version),
		clean(m.Name), clean(m.Path), m.Size, hex32(m.CRC32), hex32(m.Checksum), hex.EncodeToString(m.SHA1[:]),
		jsonText(r.Settings), r.Latency.Milliseconds(), r.Seed, r.At)
}

func (w *batchWriter) gameStarted(seq uint64, r GameStarted) {
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
		w.put(playerStartedSQL,
			r.Game, s.PID, seq, clean(s.Name), fold(clean(s.Name)), clean(s.Realm), address(s.Addr),
			s.Occupant == OccupantFake, s.Slot, s.Team, s.Colour, s.Race, s.Handicap)
	}
}

// event writes what is a row of its own.
func (w *batchWriter) event(seq uint64, rec Record) {
	switch r := rec.(type) {
	case ChatLine:
		w.row(chatTable, w.game(r.Game), seq, r.At, r.Turn, r.PID, clean(r.Name), clean(string(r.Scope)), clean(r.To), clean(r.Text))
	case LagEvent:
		w.row(lagTable, w.counted(r.Game), seq, r.At, r.Turn, r.PID, r.Lasted.Milliseconds(), r.Behind, r.Ping.Milliseconds(),
			r.HostLate.Milliseconds(), r.Backlog, clean(r.Cause))
	case DropEvent:
		w.row(dropTable, w.counted(r.Game), seq, r.At, r.Turn, r.PID, clean(r.Reason), clean(r.By), r.Votes)
	case LinkEvent:
		w.row(linkTable, w.game(r.Game), seq, r.At, r.Turn, r.PID, r.Resumed, r.Away.Milliseconds(), clean(r.Reason))
	case Desync:
		w.row(desyncTable, w.game(r.Game), seq, r.At, r.Turn, jsonText(r.groups()), dossierText(r.Dossier))
	case MapDownload:
		w.row(downloadTable, w.game(r.Game), seq, r.At, r.PID, clean(r.Name), r.Bytes, r.Took.Milliseconds(), r.Complete, clean(r.Detail))
	case AdminAction:
		w.row(auditTable, w.run, seq, r.At, r.Game, clean(r.Who), clean(r.Realm), clean(r.Via), clean(r.Action), clean(r.On),
			clean(r.Detail), clean(r.Refused))
	case MapResult:
		w.row(resultTable, w.game(r.Game), seq, r.At, r.Turn, clean(string(r.Source)), r.Sender, nil, clean(r.Name), clean(r.Value),
			number(r.Value), r.Contradicts)
	case PlayerResult:
		w.row(resultTable, w.counted(r.Game), seq, r.At, r.Turn, clean(string(r.Source)), r.Sender, r.PID, clean(r.Name), clean(r.Value),
			number(r.Value), r.Contradicts)
	}
}
