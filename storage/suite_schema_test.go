package storage_test

import (
	"errors"
	"sync"
	"testing"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// urls are those of the databases of the suite.
var urls sync.Map // *storage.Store to string

// sibling opens the database of db once more.
func sibling(t *testing.T, db *storage.Store) *storage.Store {
	t.Helper()
	return storagetest.Open(t, urlOf(db))
}

func urlOf(db *storage.Store) string {
	url, _ := urls.Load(db)
	return url.(string)
}

func testMigrations(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	list := func() (applied int) {
		t.Helper()
		all, err := db.Migrations(ctx)
		if err != nil || len(all) == 0 {
			t.Fatal(all, err)
		}
		for i, m := range all {
			if m.Version != int64(i+1) || m.Name == "" || m.Applied == m.At.IsZero() {
				t.Errorf("step %+v", m)
			}
			if m.Applied {
				applied++
			}
		}
		return applied
	}
	steps := list()
	for n := steps; n > 0; n-- {
		if m, err := db.MigrateDown(ctx); err != nil || m.Version != int64(n) {
			t.Fatalf("down from %d: %+v, %v", n, m, err)
		}
	}
	_, err := db.MigrateDown(ctx)
	wantError(t, "below the first", err, storage.ErrNotFound, "no step left")
	if n := list(); n != 0 {
		t.Errorf("%d steps applied, want none", n)
	}
	if err := errors.Join(db.MigrateUp(ctx), db.MigrateUp(ctx)); err != nil {
		t.Fatal(err)
	}
	if n := list(); n != steps {
		t.Errorf("%d steps applied, want %d", n, steps)
	}
	apply(t, db, line(storage.NewGameKey(), 1))
}

func testMigrateTogether(t *testing.T, url string) {
	const hosts = 6
	var wg sync.WaitGroup
	for range hosts {
		wg.Go(func() {
			db, err := storage.Open(t.Context(), url, storage.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if _, err := db.Games(t.Context(), storage.GameFilter{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func testClosed(t *testing.T, db *storage.Store) {
	db, err := storage.Open(t.Context(), urlOf(db), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = db.Games(t.Context(), storage.GameFilter{})
	wantError(t, "after Close", err, storage.ErrUnavailable, "closed")
}
