//go:build unix

package storage_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/tier"
	"w3host/storage"
	"w3host/storage/storagetest"

	"w3host/internal/testkit"
)

// The file of the database is deleted or replaced in the middle of a game: the host
// says so within a second and keeps the records in the spool. The next start stores
// them, and so does this one when the file is back.
func TestMovedDatabaseFile(t *testing.T) {
	tier.All(t, "waits for real time")
	remove := func(t *testing.T, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	rename := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		move func(t *testing.T, file string)
		back func(t *testing.T, file string) // nil: the host is started again
		has  int                             // lines at least, in the end
	}{
		"deleted with its WAL":    {func(t *testing.T, file string) { remove(t, file, file+"-wal", file+"-shm") }, nil, 100},
		"deleted with its folder": {func(t *testing.T, file string) { _ = os.RemoveAll(filepath.Dir(file)) }, nil, 100},
		"replaced by an empty one": {func(t *testing.T, file string) {
			remove(t, file, file+"-wal", file+"-shm")
			_ = os.WriteFile(file, nil, 0o600)
		}, nil, 100},
		"replaced by a backup": {func(t *testing.T, file string) {
			remove(t, file+"-wal", file+"-shm")
			rename(t, filepath.Join(filepath.Dir(filepath.Dir(file)), "backup.db"), file)
		}, nil, 200},
		"renamed and put back": {
			func(t *testing.T, file string) { rename(t, file, file+".old") },
			func(t *testing.T, file string) { rename(t, file+".old", file) }, 300,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "data", "test #1?.db")
			log := new(testkit.Log)
			db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			guard := storage.NewAccessCache(db, storage.AccessCacheOptions{Log: zerolog.New(log)})
			defer guard.Close()
			<-guard.Loaded()
			spool := filepath.Join(dir, "spool")
			rec, _ := newRecorder(t, db, spool)
			running := storage.NewGameKey()
			rec.Record(storage.GameCreated{Game: running, At: time.Now(), Name: "running"})
			record := func(from, to int) {
				for n := from; n < to; n++ {
					rec.Record(chatLine(running, n))
				}
			}
			stored := func(db *storage.Store, lines int) func() bool {
				return func() bool { g, err := db.Game(t.Context(), running); return err == nil && len(g.Chat) == lines }
			}
			record(0, 100)
			testkit.Eventually(t, "100 lines are stored", stored(db, 100))
			raw(t, "sqlite:"+file, "VACUUM INTO '"+filepath.Join(dir, "backup.db")+"'")
			record(100, 200)
			testkit.Eventually(t, "200 lines are stored", stored(db, 200))

			tt.move(t, file)
			time.Sleep(1500 * time.Millisecond) // the second, and half of one for a busy machine
			if !strings.Contains(log.String(), "its file was deleted or replaced while this program ran") {
				t.Errorf("nothing is said after 1.5 s: %s", log)
			}
			if err := db.Ping(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("the file is used: %v", err)
			}
			record(200, 300)
			testkit.Eventually(t, "100 lines wait in the spool", func() bool { s := rec.Stats(); return s.Waiting == 100 && s.InMemory == 0 && s.DBDown })
			if tt.back != nil {
				tt.back(t, file)
				testkit.Eventually(t, "300 lines are stored", stored(db, tt.has))
				drain(t, rec, spool)
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var left *storage.LeftoverError
			if err := rec.Close(ctx); !errors.As(err, &left) || left.Records != 100 || left.MemoryOnly != 0 {
				t.Fatal(err)
			}
			again := storagetest.Open(t, "sqlite:"+file)
			next, _ := newRecorder(t, again, spool)
			if err := next.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			// The spool's last file may hold more than what waits.
			if g, err := again.Game(t.Context(), running); err != nil || len(g.Chat) < tt.has || g.Chat[len(g.Chat)-1].Text != "299" {
				t.Errorf("%d lines of chat, want at least %d, up to the last; %v", len(g.Chat), tt.has, err)
			}
			if n := raw(t, "sqlite:"+file, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"); n != 0 {
				t.Errorf("%d faults in the file", n)
			}
		})
	}
}
