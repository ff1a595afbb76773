//go:build unix

package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/storage"
	"w3host/storage/storagetest"

	"w3host/internal/testkit"
)

// The file of the database is deleted or replaced in the middle of a game: the
// host notices within a second, and the game is whole afterwards.
func TestMovedDatabaseFile(t *testing.T) {
	remove := func(t *testing.T, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := map[string]struct {
		move  func(t *testing.T, file string)
		keeps bool // what was in it before
	}{
		"deleted":                  {func(t *testing.T, file string) { remove(t, file) }, true},
		"deleted with its WAL":     {func(t *testing.T, file string) { remove(t, file, file+"-wal", file+"-shm") }, true},
		"deleted with its folder":  {func(t *testing.T, file string) { _ = os.RemoveAll(filepath.Dir(file)) }, true},
		"renamed":                  {func(t *testing.T, file string) { _ = os.Rename(file, file+".old") }, true},
		"replaced by an empty one": {func(t *testing.T, file string) { remove(t, file); _ = os.WriteFile(file, nil, 0o600) }, false},
		"replaced by a backup": {func(t *testing.T, file string) {
			if err := os.Rename(filepath.Join(filepath.Dir(filepath.Dir(file)), "backup.db"), file); err != nil {
				t.Fatal(err)
			}
		}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "data", "test #1?.db")
			log := new(testkit.Log)
			db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{Log: zerolog.New(log)})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			guard := storage.NewGuard(db, storage.GuardOptions{})
			defer guard.Close()
			<-guard.Loaded()
			spool := filepath.Join(dir, "spool")
			rec, _ := newRecorder(t, db, spool)
			old, running := storage.NewGameKey(), storage.NewGameKey()
			storagetest.PlayGame(rec, old, 2, 1)
			rec.Record(storage.GameCreated{Game: running, At: time.Now(), Name: "running"})
			record := func(from, to int) {
				for n := from; n < to; n++ {
					rec.Record(storagetest.Line(running, n))
				}
			}
			record(0, 100)
			testkit.Eventually(t, "100 lines are stored", func() bool { g, err := db.Game(t.Context(), running); return err == nil && len(g.Chat) == 100 })
			raw(t, "sqlite:"+file, "VACUUM INTO '"+filepath.Join(dir, "backup.db")+"'")
			record(100, 200)
			testkit.Eventually(t, "200 lines are stored", func() bool { g, err := db.Game(t.Context(), running); return err == nil && len(g.Chat) == 200 })

			tt.move(t, file)
			time.Sleep(1500 * time.Millisecond) // the second, and half of one for a busy machine
			if !strings.Contains(log.String(), "the database file was") {
				t.Errorf("nothing is said after 1.5 s: %s", log)
			}
			record(200, 300)
			rec.Record(storage.GameEnded{Game: running, At: time.Now(), How: storage.EndFinished})
			drain(t, rec, spool)

			again := storagetest.Open(t, "sqlite:"+file) // what is at the path, by itself
			g, err := again.Game(t.Context(), running)
			if err != nil {
				t.Fatal(err)
			}
			if err := storagetest.CheckLines(g, 300); err != nil || g.Ended != storage.EndFinished || g.Name != "running" {
				t.Errorf("%+v, %v", g.Game, err)
			}
			if err := storagetest.CheckGame(t.Context(), again, old, 2, 1); (err == nil) != tt.keeps {
				t.Errorf("the game before: %v", err)
			}
			if n := raw(t, "sqlite:"+file, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"); n != 0 {
				t.Errorf("%d faults in the file", n)
			}
		})
	}
}
