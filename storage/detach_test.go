package storage

import (
	"context"
	"errors"
	"os"
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
		beside := first.Detach()
		beside.Record(chat(2))
		closeRecorder(t, first)
		next, _ := newTestRecorder(t, db, dir)
		time.Sleep(time.Minute)
		beside.Record(chat(3))
		time.Sleep(time.Second)
		// What two processes record at once comes in any order.
		if got := slices.Sorted(slices.Values(db.texts())); !slices.Equal(got, numbered(1, 3)) {
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
		if got := slices.Sorted(slices.Values(db.texts())); !slices.Equal(got, numbered(1, 4)) {
			t.Errorf("after the next start: %q", got)
		}
		closeRecorder(t, last)
		if folders, _ := filepath.Glob(filepath.Join(dir, spool.DetachedPrefix+"*")); len(folders) > 0 {
			t.Errorf("left: %v", folders)
		}
	})
}

// What a process beside the spool has put aside is kept when it ends, and comes to the
// quarantine of the spool with the next start.
func TestApartKeepsDamagedFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		first, _ := newTestRecorder(t, db, dir)
		beside := first.Detach()
		folder, _ := beside.Dir()
		aside := filepath.Join(folder, spool.Quarantine)
		if err := errors.Join(os.MkdirAll(aside, 0o750), os.WriteFile(filepath.Join(aside, "0000000001.jsonl"), []byte("damaged\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		closeRecorder(t, first)
		closeRecorder(t, beside)
		last, _ := newTestRecorder(t, db, dir)
		synctest.Wait()
		kept, _ := filepath.Glob(filepath.Join(dir, spool.Quarantine, "*.jsonl"))
		if len(kept) != 1 {
			t.Errorf("kept: %v", kept)
		}
		if folders, _ := filepath.Glob(filepath.Join(dir, spool.DetachedPrefix+"*")); len(folders) > 0 {
			t.Errorf("left: %v", folders)
		}
		closeRecorder(t, last)
	})
}
