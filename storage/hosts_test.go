//go:build unix

package storage_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// The data folder of a running host is copied, and the copy is started: it
// takes an identity of its own, and no game of the original is closed.
func TestClonedDataFolder(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			db := storagetest.Open(t, database(t))
			first, second := t.TempDir(), t.TempDir()
			original, _ := newRecorder(t, db, first)
			running := storage.NewGameKey()
			original.Record(storage.GameCreated{Game: running, At: time.Now(), Name: "running"})
			testkit.Eventually(t, "the game is in the database", func() bool { _, err := db.Game(t.Context(), running); return err == nil })

			id, err := os.ReadFile(filepath.Join(first, "host-id"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(second, "host-id"), id, 0o600); err != nil {
				t.Fatal(err)
			}
			clone, log := newRecorder(t, db, second)
			ofClone := storage.NewGameKey()
			clone.Record(storage.GameCreated{Game: ofClone, At: time.Now(), Name: "of the clone"})
			testkit.Eventually(t, "the clone takes another id", func() bool { return clone.Host().ID != original.Host().ID })
			time.Sleep(5 * beatEvery)
			for _, key := range []storage.GameKey{running, ofClone} {
				if g, err := db.Game(t.Context(), key); err != nil || g.Ended != "" {
					t.Errorf("%+v, %v", g, err)
				}
			}
			if hosts, err := db.Hosts(t.Context()); err != nil || len(hosts) != 2 {
				t.Errorf("%+v, %v", hosts, err)
			}
			testkit.Eventually(t, "it is said", func() bool { return strings.Contains(log.String(), "another running host uses the same host id") })
			kept, _ := os.ReadFile(filepath.Join(second, "host-id"))
			if strings.TrimSpace(string(kept)) != clone.Host().ID {
				t.Errorf("kept %s", kept)
			}
			drain(t, clone, second)
			drain(t, original, first)
		})
	}
}

// away is a database that does not hear of the end of a run, as one that is down then,
// or a restored backup.
type away struct{ *storage.Store }

func (away) LeaveHost(context.Context, storage.Host) error { return nil }

// The folder knows that the last run has ended: the next one does not wait for a sign of
// its life before it closes what the database takes for open.
func TestEndThatTheDatabaseMissed(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			db, dir := storagetest.Open(t, database(t)), t.TempDir()
			options := storage.RecorderOptions{Dir: dir, Name: "test", Heartbeat: time.Hour}
			first, err := storage.NewRecorder(away{db}, options)
			if err != nil {
				t.Fatal(err)
			}
			open := storage.NewGameKey()
			first.Record(storage.GameCreated{Game: open, At: time.Now(), Name: "open"})
			testkit.Eventually(t, "the game is in the database", func() bool { _, err := db.Game(t.Context(), open); return err == nil })
			drain(t, first, dir)
			if last, err := db.LastRun(t.Context(), first.Host().ID); err != nil || last.Stopped {
				t.Fatalf("the database knows of the end: %+v, %v", last, err)
			}

			second, err := storage.NewRecorder(db, options)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the game is closed", func() bool { g, err := db.Game(t.Context(), open); return err == nil && g.Ended == storage.EndCrashed })
			if second.Host().ID != first.Host().ID {
				t.Error("the host took another id")
			}
			drain(t, second, dir)
		})
	}
}

// Two copies start at once, and one closes the games of the other before either
// can know: the heartbeat finds out, and the games go on.
func TestClonesStartTogether(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			db, dir := storagetest.Open(t, database(t)), t.TempDir()
			rec, log := newRecorder(t, db, dir)
			running := storage.NewGameKey()
			rec.Record(storage.GameCreated{Game: running, At: time.Now(), Name: "running"})
			testkit.Eventually(t, "the game is in the database", func() bool { _, err := db.Game(t.Context(), running); return err == nil })
			h := rec.Host()
			n, err := db.EnterHost(t.Context(), storage.Host{ID: h.ID, Run: storage.NewGameKey().String(), Name: "clone"})
			if err != nil || n != 1 {
				t.Fatalf("%d games closed, %v", n, err)
			}
			testkit.Eventually(t, "it takes another id", func() bool { return rec.Host().ID != h.ID })
			if g, err := db.Game(t.Context(), running); err != nil || g.Ended != "" || !g.EndedAt.IsZero() {
				t.Errorf("%+v, %v", g, err)
			}
			testkit.Eventually(t, "it is said", func() bool { return strings.Contains(log.String(), "another running host uses the same host id") })
			drain(t, rec, dir)
		})
	}
}

// A crashed game is as long as is known: to the last thing recorded of it, or
// the last heartbeat of its host. One whose first record was lost is as old
// as its key.
func TestLengthOfCrashedGames(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			db := storagetest.Open(t, database(t))
			h := storage.Host{ID: storage.NewGameKey().String(), Run: storage.NewGameKey().String(), Name: "a"}
			began := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
			long, headless, later := storage.NewGameKey(), storage.NewGameKey(), storage.NewGameKey()
			applyAs(t, db, h.ID, h.Run, 1,
				storage.GameCreated{Game: long, At: began, Name: "long", Latency: 100 * time.Millisecond},
				storage.GameLoaded{Game: long, At: began.Add(time.Minute)},
				storage.ChatLine{Game: long, At: began.Add(11 * time.Minute), Turn: 5900},
				storage.LagEvent{Game: long, At: began.Add(10 * time.Minute), Turn: 5000},
				storage.ChatLine{Game: headless, At: time.Now(), Turn: 3, Text: "where is my head"},
				storage.GameCreated{Game: later, At: time.Now().Add(time.Minute), Name: "later"},
			)
			h.Run = storage.NewGameKey().String()
			if n, err := db.EnterHost(t.Context(), h); n != 3 || err != nil {
				t.Fatalf("%d closed, %v", n, err)
			}
			g, err := db.Game(t.Context(), long)
			if err != nil || g.Turns != 5900 || g.PlayedMS != (10*time.Minute).Milliseconds() || !g.EndedAt.Equal(began.Add(11*time.Minute)) {
				t.Errorf("%+v, %v", g.Game, err)
			}
			games, err := db.Games(t.Context(), storage.GameFilter{})
			if err != nil || len(games) != 3 || games[0].Key != later || games[1].Key != headless || games[1].CreatedAt.IsZero() {
				t.Errorf("%+v, %v", games, err)
			}
		})
	}
}
