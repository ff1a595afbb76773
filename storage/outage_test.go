package storage

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"w3host/internal/testkit"
)

// A host that is started without its database says so, and says that the database
// takes records only when it does.
func TestStartedWithoutDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.set(func(f *fakeDB) { f.down = true })
		r, log := newTestRecorder(t, db, t.TempDir())
		time.Sleep(20 * time.Second)
		if !r.Stats().DBDown || log.Count("the database does not accept records") == 0 || log.Count("accepts records again") != 0 {
			t.Errorf("%+v\n%s", r.Stats(), log)
		}
		db.set(func(f *fakeDB) { f.down = false })
		time.Sleep(20 * time.Second)
		if r.Stats().DBDown || log.Count("accepts records again") != 1 {
			t.Errorf("%+v\n%s", r.Stats(), log)
		}
		closeRecorder(t, r)
	})
}

// What waits in the spool is for the host's user only.
func TestSpoolFilesArePrivate(t *testing.T) {
	db, dir := newFakeDB(), t.TempDir()
	db.set(func(f *fakeDB) { f.refuse = func(Record) bool { return true } })
	r, _ := newTestRecorder(t, db, dir)
	r.Record(chat(1))
	testkit.Eventually(t, "the record is refused", func() bool { return r.Stats().Lost.Rejected == 1 })
	closeRecorder(t, r)
	db.set(func(f *fakeDB) { f.down = true })
	r, _ = newTestRecorder(t, db, dir)
	r.Record(chat(2))
	testkit.Eventually(t, "the record waits", func() bool { s := r.Stats(); return s.Waiting == 1 && s.InMemory == 0 })
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %v", d.Name(), info.Mode())
		}
		seen++
		return err
	})
	if err != nil || seen < 4 { // a segment, rejected.jsonl, status.json, host-id
		t.Errorf("%d files, %v", seen, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_ = r.Close(ended)
}
