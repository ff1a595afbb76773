package storage

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"w3host/storage/spool"
)

// Two processes record, one of which has let the spool go: all comes to the database, and
// what does not is found by the next start.
func TestApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		first, _ := newTestRecorder(t, db, dir)
		first.Record(chat(1))
		beside, err := first.Apart()
		if err != nil {
			t.Fatal(err)
		}
		beside.Record(chat(2))
		closeRecorder(t, first)
		next, _ := newTestRecorder(t, db, dir)
		time.Sleep(time.Minute)
		beside.Record(chat(3))
		time.Sleep(time.Second)
		if got := db.texts(); !slices.Equal(got, numbered(1, 3)) {
			t.Errorf("%q", got)
		}
		if beside.Host().ID != next.Host().ID {
			t.Error("it is another host")
		}

		db.set(func(f *fakeDB) { f.down = true })
		beside.Record(chat(4))
		time.Sleep(time.Second)
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if left, ok := errors.AsType[*LeftoverError](beside.Close(soon)); !ok || left.Records != 1 {
			t.Errorf("left: %v", left)
		}
		db.set(func(f *fakeDB) { f.down = false })
		closeRecorder(t, next)
		last, _ := newTestRecorder(t, db, dir)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := db.texts(); !slices.Equal(got, numbered(1, 4)) {
			t.Errorf("after the next start: %q", got)
		}
		closeRecorder(t, last)
		if folders, _ := filepath.Glob(filepath.Join(dir, spool.Apart+"*")); len(folders) > 0 {
			t.Errorf("left: %v", folders)
		}
	})
}
