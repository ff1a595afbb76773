//go:build unix

package storage_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// sums are pairs of queries: the first reads totals, the second sums up the rows.
var sums = [][2]string{
	{
		`SELECT name_key, realm, games, won, lost, drawn, left_early, dropped, lags, played_ms, actions,
			round(coalesce(CAST(ping_ms AS numeric), -1), 3), first_game, last_game FROM player_stats`,
		`SELECT name_key, realm, count(*), count(CASE WHEN outcome = 'won' THEN 1 END), count(CASE WHEN outcome = 'lost' THEN 1 END),
			count(CASE WHEN outcome = 'drew' THEN 1 END), count(CASE WHEN outcome = 'left' THEN 1 END), count(CASE WHEN drops > 0 THEN 1 END),
			sum(lags), sum(coalesce(played_ms, 0)), sum(coalesce(actions, 0)), round(coalesce(CAST(avg(ping_ms) AS numeric), -1), 3),
			min(started_at), max(started_at) FROM played WHERE ended <> '' GROUP BY name_key, realm`,
	},
	{
		`SELECT name_key, realm, map_sha1, games, won, lost FROM player_map_totals WHERE games <> 0`,
		`SELECT name_key, realm, map_sha1, count(*), count(CASE WHEN outcome = 'won' THEN 1 END),
			count(CASE WHEN outcome = 'lost' THEN 1 END) FROM played WHERE ended <> '' GROUP BY name_key, realm, map_sha1`,
	},
	{
		`SELECT name_key, realm, source, name, games, sum FROM player_value_totals WHERE games <> 0`,
		`SELECT name_key, realm, source, name, count(*), sum(number) FROM (
			SELECT p.name_key, p.realm, r.game_key, r.source, r.name, max(r.number) AS number
			FROM played p JOIN results r ON r.game_key = p.game_key AND r.pid = p.pid
			WHERE p.ended <> '' AND NOT r.doubtful GROUP BY p.name_key, p.realm, r.game_key, r.source, r.name
			HAVING min(r.value) = max(r.value) AND max(r.number) IS NOT NULL AND sum(CASE WHEN r.contradicts THEN 1 ELSE 0 END) = 0) t
			GROUP BY name_key, realm, source, name`,
	},
	{
		`SELECT map_sha1, map_name, lobbies, games, finished, desyncs, round(coalesce(CAST(played_ms AS numeric), -1), 3),
			round(coalesce(CAST(players AS numeric), -1), 3), last_game FROM map_stats`,
		`SELECT map_sha1, max(map_name), count(*), count(started_at), count(CASE WHEN ended = 'finished' THEN 1 END),
			count(CASE WHEN ended = 'desync' THEN 1 END), round(coalesce(CAST(avg(CASE WHEN ended = 'finished' THEN played_ms END) AS numeric), -1), 3),
			round(coalesce(CAST(avg(CASE WHEN started_at IS NOT NULL THEN inside END) AS numeric), -1), 3), max(started_at)
			FROM (SELECT g.*, (SELECT count(*) FROM played p WHERE p.game_key = g.key) AS inside FROM games g) g WHERE ended <> '' GROUP BY map_sha1`,
	},
	{
		`SELECT CAST(day AS text), lobbies, games, desyncs, crashed, players FROM daily_games`,
		`SELECT CAST(day AS text), count(*), count(started_at), count(CASE WHEN ended = 'desync' THEN 1 END), count(CASE WHEN ended = 'host crashed' THEN 1 END),
			sum((SELECT count(*) FROM played p WHERE p.game_key = game_list.key)) FROM game_list WHERE ended <> '' GROUP BY day`,
	},
}

// decidedSeats is the SQL of players with an outcome in games with a winner, for mapSums.
const decidedSeats = `(SELECT s.game_key, s.map_sha1, s.team, s.colour,
		CASE WHEN EXISTS (SELECT 1 FROM played o WHERE o.game_key = s.game_key AND o.team = s.team AND o.outcome = 'won') THEN 1 ELSE 0 END AS won
	FROM played s JOIN games g ON g.key = s.game_key AND NOT g.private AND g.loaded_at IS NOT NULL AND g.ended <> ''
	WHERE s.outcome IS NOT NULL AND EXISTS (SELECT 1 FROM played o WHERE o.game_key = s.game_key AND o.outcome = 'won')
		AND EXISTS (SELECT 1 FROM played o WHERE o.game_key = s.game_key AND o.outcome IS NOT NULL AND o.team <> s.team)
		AND NOT EXISTS (SELECT 1 FROM played o WHERE o.game_key = s.game_key AND (o.outcome = 'disputed'
			OR o.outcome = 'won' AND EXISTS (SELECT 1 FROM played l WHERE l.game_key = o.game_key AND l.team = o.team AND l.outcome = 'lost')))) d`

// mapSums are further pairs for the tables of map pages.
var mapSums = [][2]string{
	{
		`SELECT map_sha1, kind, number, games, won FROM map_counts WHERE games <> 0 AND kind IN ('team', 'place')`,
		`SELECT map_sha1, 'team', team, count(DISTINCT game_key), count(DISTINCT CASE WHEN won = 1 THEN game_key END) FROM ` + decidedSeats + ` GROUP BY map_sha1, team
			UNION ALL SELECT map_sha1, 'place', colour, count(*), sum(won) FROM ` + decidedSeats + ` GROUP BY map_sha1, colour`,
	},
	{
		`SELECT map_sha1, sum(CASE WHEN kind = 'games' THEN games ELSE 0 END), sum(CASE WHEN kind = 'day' THEN games ELSE 0 END), sum(CASE WHEN kind = 'minutes' THEN games ELSE 0 END),
			sum(CASE WHEN kind = 'minutes' THEN games * number ELSE 0 END) FROM map_counts GROUP BY map_sha1 HAVING sum(games) > 0`,
		`SELECT map_sha1, count(*), count(*), count(CASE WHEN ended = 'finished' THEN 1 END), coalesce(sum(CASE WHEN ended = 'finished' THEN played_ms / 60000 END), 0)
			FROM games WHERE NOT private AND loaded_at IS NOT NULL AND ended <> '' GROUP BY map_sha1`,
	},
	{
		`SELECT map_sha1, name, game_key, CAST(number AS integer) FROM (SELECT r.*, row_number() OVER (PARTITION BY map_sha1, name ORDER BY number DESC, game_key) AS place FROM map_records r) a WHERE place = 1`,
		`SELECT map_sha1, name, game_key, CAST(number AS integer) FROM (SELECT a.*, row_number() OVER (PARTITION BY map_sha1, name ORDER BY number DESC, game_key) AS place FROM (
			SELECT g.map_sha1, r.name, r.game_key, max(r.number) AS number FROM (SELECT game_key, pid, name, max(number) AS number FROM results WHERE name = 'kills' AND NOT doubtful AND number > 0
				GROUP BY game_key, pid, name HAVING min(value) = max(value) AND sum(CASE WHEN contradicts THEN 1 ELSE 0 END) = 0) r
				JOIN games g ON g.key = r.game_key AND NOT g.private AND g.loaded_at IS NOT NULL AND g.ended <> '' GROUP BY 1, 2, 3
			UNION ALL SELECT map_sha1, 'longest', key, played_ms FROM games WHERE NOT private AND loaded_at IS NOT NULL AND ended = 'finished'
			UNION ALL SELECT map_sha1, 'fastest', key, -played_ms FROM games g WHERE NOT private AND loaded_at IS NOT NULL AND ended = 'finished'
				AND EXISTS (SELECT 1 FROM results r WHERE r.game_key = g.key AND r.name = 'outcome' AND r.value = 'won' AND NOT r.doubtful AND NOT r.contradicts)) a) b WHERE place = 1`,
	},
}

// answers reads queries as sorted lines of text.
func answers(t *testing.T, db *sql.DB, queries ...string) (lines []string) {
	t.Helper()
	for i, q := range queries {
		rows, err := db.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			cells, dest := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for j := range cells {
				dest[j] = &cells[j]
			}
			if err := rows.Scan(dest...); err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprint(i)
			for _, c := range cells {
				text := c.String
				if strings.Contains(text, ".") && !strings.ContainsAny(text, " TZ") {
					text = strings.TrimRight(strings.TrimRight(text, "0"), ".") // 2.500 is 2.5
				}
				line += "|" + text
			}
			lines = append(lines, line)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(lines)
	return lines
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%s: %d lines, want %d", what, len(got), len(want))
	shown := 0
	for _, l := range want {
		if !slices.Contains(got, l) && shown < 5 {
			t.Errorf("%s: missing %s", what, l)
			shown++
		}
	}
	for _, l := range got {
		if !slices.Contains(want, l) && shown < 10 {
			t.Errorf("%s: surplus %s", what, l)
			shown++
		}
	}
}

// The totals are what the rows add up to, whatever is written in whatever order
// and however often: late records, replays, games closed for a dead host that
// comes back.
func TestTotalsAddUp(t *testing.T) {
	t.Parallel()
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			db := storagetest.Open(t, url)
			rng := rand.New(rand.NewPCG(3, 4))
			host := storage.NewGameKey().String()
			for range 8 {
				records := randomGames(rng, 6)
				run := storage.NewGameKey().String()
				for from := 0; from < len(records); {
					to := min(from+1+rng.IntN(40), len(records))
					applyAs(t, db, host, run, uint64(from+1), records[from:to]...)
					if rng.IntN(4) == 0 {
						applyAs(t, db, host, run, uint64(from+1), records[from:to]...) // its answer was lost
					}
					if rng.IntN(6) == 0 { // the host is thought dead
						if _, err := db.EnterHost(t.Context(), storage.Host{ID: host, Run: storage.NewGameKey().String(), Name: "h"}); err != nil {
							t.Fatal(err)
						}
						applyAs(t, db, host, run, 1, records[:to]...) // position forgotten: from the beginning
					}
					from = to
				}
			}
			compareTotals(t, url)
		})
	}
}

// Three hosts write about the same players at once, and one of them takes the games of
// another for crashed.
func TestTotalsBesideHosts(t *testing.T) {
	t.Parallel()
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			var hosts sync.WaitGroup
			for n := range uint64(3) {
				db, rng := storagetest.Open(t, url), rand.New(rand.NewPCG(5, n))
				id, run := storage.NewGameKey().String(), storage.NewGameKey().String()
				records := randomGames(rng, 12)
				hosts.Go(func() {
					b, crashed := storage.Batch{HostID: id, Run: run}, false
					for i := range records {
						b.Records = append(b.Records, storage.SequencedRecord{Seq: uint64(i + 1), Record: records[i]})
						if len(b.Records) < 4 && i < len(records)-1 { // so that each counted game comes in several batches
							continue
						}
						untilDone(t, func() error { return db.Apply(t.Context(), b) })
						b.Records = nil
						if !crashed && n == 0 && i >= len(records)/2 {
							crashed = true
							untilDone(t, func() error {
								_, err := db.EnterHost(t.Context(), storage.Host{ID: id, Run: storage.NewGameKey().String(), Name: "h"})
								return err
							})
						}
					}
				})
			}
			hosts.Wait()
			compareTotals(t, url)
		})
	}
}

// untilDone repeats what the database may refuse for now: a deadlock, say.
func untilDone(t *testing.T, do func() error) {
	for err := do(); err != nil; err = do() {
		if !errors.Is(err, storage.ErrUnavailable) || t.Context().Err() != nil {
			t.Error(err)
			return
		}
	}
}

// compareTotals compares the totals with the sums of the rows.
func compareTotals(t *testing.T, url string) {
	t.Helper()
	raw, lines := rawDB(t, url), 0
	for _, q := range slices.Concat(sums, mapSums) {
		got := answers(t, raw, q[0])
		same(t, q[0], got, answers(t, raw, q[1]))
		lines += len(got)
	}
	if lines < 20 {
		t.Errorf("only %d lines were compared", lines)
	}
}

// randomGames interleaves the records of games; some come after the end.
func randomGames(rng *rand.Rand, games int) (mixed []storage.Record) {
	var rows [][]storage.Record
	for range games {
		k, at := storage.NewGameKey(), time.Date(2026, 5, 1+rng.IntN(3), 12, 0, 0, 0, time.UTC)
		m := byte(rng.IntN(3))
		r := []storage.Record{storage.GameCreated{Game: k, At: at, Private: rng.IntN(8) == 0, Map: storage.MapID{Name: fmt.Sprint("M", m), SHA1: [20]byte{m + 1}}}}
		var slots []storage.StartedSlot
		for pid := uint8(1); pid <= 3; pid++ {
			who := fmt.Sprint("Player", rng.IntN(5))
			r = append(r, storage.PlayerJoined{Game: k, At: at, PID: pid, Name: who})
			slots = append(slots, storage.StartedSlot{Slot: pid, PID: pid, Name: who, Team: pid % 2, Colour: pid, Occupant: storage.OccupantPlayer})
		}
		if rng.IntN(4) > 0 {
			r = append(r, storage.GameStarted{Game: k, At: at.Add(time.Minute), Slots: slots}, storage.GameLoaded{Game: k, At: at.Add(2 * time.Minute)})
		}
		var late []storage.Record
		for pid := uint8(1); pid <= 3; pid++ {
			for _, one := range []storage.Record{
				storage.LagEvent{Game: k, PID: pid},
				storage.DropEvent{Game: k, PID: pid},
				storage.PlayerResult{Game: k, PID: pid, Name: storage.ResultOutcome, Value: []string{"won", "lost"}[rng.IntN(2)]},
				storage.PlayerResult{Game: k, PID: pid, Sender: 1, Name: storage.ResultOutcome, Value: []string{"won", "lost"}[rng.IntN(2)]},
				storage.PlayerResult{Game: k, PID: pid, Name: "kills", Value: fmt.Sprint(rng.IntN(3)), Doubtful: rng.IntN(4) == 0},
				storage.PlayerResult{Game: k, PID: pid, Sender: 2, Name: storage.ResultOutcome, Value: "won", Doubtful: true},
				storage.PlayerLeft{Game: k, At: at.Add(time.Duration(3+rng.IntN(30)) * time.Minute), PID: pid, Ping: 40 * time.Millisecond, Actions: uint32(rng.IntN(99))},
			} {
				if rng.IntN(3) == 0 {
					late = append(late, one)
				} else {
					r = append(r, one)
				}
			}
		}
		r = append(r, storage.GameEnded{Game: k, At: at.Add(time.Hour), How: []storage.EndReason{"finished", "desync"}[rng.IntN(2)], Played: time.Hour})
		rows = append(rows, append(r, late...))
	}
	for len(rows) > 0 {
		i := rng.IntN(len(rows))
		mixed, rows[i] = append(mixed, rows[i][0]), rows[i][1:]
		if len(rows[i]) == 0 {
			rows = slices.Delete(rows, i, i+1)
		}
	}
	return mixed
}
