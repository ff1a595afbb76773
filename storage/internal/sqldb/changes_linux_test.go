package sqldb

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFileChanges: the watch of a database file reports nothing while nobody writes, and each kind
// of change.
func TestFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w3host.db")
	open := func() DB {
		db, err := OpenSQLite(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	write := func(db DB) {
		if _, err := db.Exec(t.Context(), "CREATE TABLE IF NOT EXISTS t (n INTEGER)"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(t.Context(), "INSERT INTO t VALUES (1)"); err != nil {
			t.Fatal(err)
		}
	}
	a, b := open(), open()
	w := watchFile()
	defer w.close()
	write(a)
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"written by this process", func() { write(a) }},
		{"written by another handle", func() { write(b) }},
		{"moved", func() { _ = os.Rename(path, path+".old") }},
	} {
		if w.arm(path); w.seen() {
			t.Errorf("%s: a change is reported before there is one", c.name)
		}
		if c.change(); !w.seen() {
			t.Errorf("%s: the change is not reported", c.name)
		}
	}
	if w.arm(path); !w.seen() {
		t.Error("a file that is gone is taken for one that is watched")
	}
}
