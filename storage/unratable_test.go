package storage_test

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// refusals make a database refuse ratings: of Eve for good, or all as if its disk was full or a table was missing.
var refusals = map[string]struct{ eve, all, lift []string }{
	"SQLite": {
		eve:  []string{"CREATE TRIGGER refuse BEFORE INSERT ON ratings WHEN NEW.name_key = 'eve' BEGIN SELECT RAISE(ABORT, 'not Eve'); END"},
		all:  []string{"CREATE TRIGGER refuse BEFORE INSERT ON ratings BEGIN INSERT INTO missing VALUES (1); END"},
		lift: []string{"DROP TRIGGER refuse"},
	},
	"Postgres": {
		eve: []string{
			"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.name_key = 'eve' THEN RAISE 'not Eve'; END IF; RETURN NEW; END $$",
			"CREATE TRIGGER refuse BEFORE INSERT ON ratings FOR EACH ROW EXECUTE FUNCTION refuse()",
		},
		all: []string{
			"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full' USING ERRCODE = '53100'; END $$",
			"CREATE TRIGGER refuse BEFORE INSERT ON ratings FOR EACH ROW EXECUTE FUNCTION refuse()",
		},
		lift: []string{"DROP TRIGGER refuse ON ratings", "DROP FUNCTION refuse()"},
	},
}

// ladder is a database with five games; Eve has played the third.
func ladder(t *testing.T, url string) (db *storage.Store, eve storage.GameKey) {
	db = storagetest.Open(t, url)
	seq := uint64(1)
	for n := range 5 {
		players := [2]string{"Ann", "Bob"}
		if n == 2 {
			players = [2]string{"Eve", "Bob"}
		}
		records := ratedGame(n+1, "DotA v6.83", players, [2]string{"won", "lost"})
		if n == 2 {
			eve = records[0].(storage.GameCreated).Game
		}
		applyAs(t, db, hostA, runA1, seq, records...)
		seq += uint64(len(records))
	}
	return db, eve
}

func best(t *testing.T, db *storage.Store) []storage.Rating {
	t.Helper()
	all, err := db.BestRated(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestUnratableGame: a game whose ratings the database refuses is skipped, with its reason, and no other.
func TestUnratableGame(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			db, eve := ladder(t, url)
			change(t, url, refusals[name].eve)
			if n, err := db.RateGames(t.Context()); n != 5 || err != nil {
				t.Fatalf("%d games are rated: %v", n, err)
			}
			rated := best(t, db)
			if len(rated) != 2 || rated[0].Name != "Ann" || rated[0].Games != 4 || rated[1].Games != 4 {
				t.Fatalf("rated: %+v", rated)
			}
			if n, err := db.RateGames(t.Context()); n != 0 || err != nil {
				t.Errorf("%d games are rated again: %v", n, err)
			}
			g, err := db.Game(t.Context(), eve)
			if err != nil || !strings.Contains(g.UnratedReason, "not Eve") {
				t.Errorf("the game is not rated because of %q, %v", g.UnratedReason, err)
			}
			done, err := db.RebuildRatings(t.Context())
			if err != nil || done != (storage.Rebuilt{Games: 5, Refused: 1}) {
				t.Errorf("rebuilt: %+v, %v", done, err)
			}
			if again := best(t, db); !reflect.DeepEqual(again, rated) {
				t.Errorf("ratings were %+v and are %+v", rated, again)
			}
			change(t, url, refusals[name].lift)
			done, err = db.RebuildRatings(t.Context())
			if err != nil || done != (storage.Rebuilt{Games: 5}) || len(best(t, db)) != 3 {
				t.Errorf("with Eve: %+v, %v", done, err)
			}
			if g, err := db.Game(t.Context(), eve); err != nil || g.UnratedReason != "" {
				t.Errorf("the game is rated, but not because of %q, %v", g.UnratedReason, err)
			}
		})
	}
}

// TestRebuildFails: after an error all ratings are as they were.
func TestRebuildFails(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			db, _ := ladder(t, url)
			if _, err := db.RateGames(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := best(t, db)
			change(t, url, refusals[name].all)
			if done, err := db.RebuildRatings(t.Context()); err == nil || errors.Is(err, storage.ErrRejected) {
				t.Errorf("rebuilt: %+v, %v", done, err)
			}
			if after := best(t, db); !reflect.DeepEqual(before, after) {
				t.Errorf("ratings were %+v and are %+v", before, after)
			}
			change(t, url, refusals[name].lift)
			if done, err := db.RebuildRatings(t.Context()); err != nil || done.Games != 5 {
				t.Errorf("rebuilt: %+v, %v", done, err)
			}
		})
	}
}

// TestLongNames: an index of Postgres takes no name of some thousand bytes. No game behind such a one waits for ever,
// and a record with such a name is put aside.
func TestLongNames(t *testing.T) {
	url := storagetest.Postgres(t)
	db := storagetest.Open(t, url)
	long := make([]byte, 4<<10) // random, so that it cannot be compressed
	_, _ = rand.Read(long)
	name := hex.EncodeToString(long)
	first := ratedGame(1, name, [2]string{"Eve", "Mallory"}, [2]string{"won", "lost"})
	applyAs(t, db, hostA, runA1, 1, first...)
	applyAs(t, db, hostA, runA1, uint64(len(first)+1), ratedGame(2, "DotA v6.83", [2]string{"Ann", "Bob"}, [2]string{"won", "lost"})...)
	if n, err := db.RateGames(t.Context()); n != 2 || err != nil {
		t.Errorf("%d games are rated: %v", n, err)
	}
	if all := best(t, db); len(all) != 2 || all[0].Name != "Ann" {
		t.Errorf("rated: %+v", all)
	}
	err := db.Apply(t.Context(), storage.Batch{HostID: hostA, Run: runA1, Records: []storage.SequencedRecord{
		{Seq: 100, Record: storage.PlayerJoined{Game: storage.NewGameKey(), PID: 1, Name: name}},
	}})
	if !errors.Is(err, storage.ErrRejected) {
		t.Errorf("a name of %d bytes: %v", len(name), err)
	}
}

// change runs statements that storage has no function for.
func change(t *testing.T, url string, statements []string) {
	t.Helper()
	for _, s := range statements {
		raw(t, url, s)
	}
}
