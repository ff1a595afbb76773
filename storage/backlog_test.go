package storage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"w3host/storage/spool"
)

// When the disk loses what was written to it, it is written again, and comes
// once.
func TestFailedSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		db.down = true
		syncs := 0
		r, log := newTestRecorder(t, db, dir, func(o *RecorderOptions) {
			o.sync = func(f *spool.File) error {
				if syncs++; syncs%3 == 1 {
					return errors.New("input/output error")
				}
				return f.Sync()
			}
		})
		for n := 1; n <= 500; n++ {
			r.Record(chat(n))
			if n%50 == 0 {
				time.Sleep(700 * time.Millisecond)
			}
		}
		time.Sleep(time.Second)
		if files := spoolFiles(t, dir); len(files) < 3 || log.Count("written again") != 1 {
			t.Errorf("after %d syncs: %v", syncs, files)
		}
		if s := r.Stats(); s.InMemory != 0 {
			t.Errorf("%+v", s)
		}
		db.set(func(f *fakeDB) { f.down = false })
		closeRecorder(t, r)
		if got := db.texts(); !slices.Equal(got, numbered(1, 500)) {
			t.Errorf("%d arrived: %v", len(got), got)
		}
		if s := r.Stats(); s.SpoolSize != 0 || s.Lost.Total() != 0 || len(spoolFiles(t, dir)) != 0 {
			t.Errorf("%+v, %v", s, spoolFiles(t, dir))
		}
	})
}

// A spool file that somebody deletes costs its records, not the others.
func TestDeletedSpoolFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		db.down = true
		r, log := newTestRecorder(t, db, dir, func(o *RecorderOptions) { o.memory = 64 << 10 })
		for n := 1; n <= 2000; n++ {
			r.Record(chat(n))
			if n%100 == 0 {
				time.Sleep(time.Second)
			}
		}
		synctest.Wait()
		for _, name := range spoolFiles(t, dir) {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		db.set(func(f *fakeDB) { f.down = false })
		closeRecorder(t, r)
		got, s := len(db.texts()), r.Stats()
		if got+int(s.Lost.Missing) != 2000 || s.Lost.Missing == 0 || log.Count("records are missing from the spool") == 0 {
			t.Errorf("%d arrived, %+v", got, s)
		}
	})
}

func spoolFiles(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "0*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// leave records lines 1 to 500 while the database is away, of which it has got
// the first 100, and stops.
func leave(t *testing.T, db *fakeDB, dir string) {
	t.Helper()
	r, _ := newTestRecorder(t, db, dir)
	for n := 1; n <= 500; n++ {
		r.Record(chat(n))
		if n == 100 {
			time.Sleep(5 * time.Second) // applied, and its file gone
			db.set(func(f *fakeDB) { f.down = true })
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var left *LeftoverError
	if err := r.Close(ctx); !errors.As(err, &left) || left.Records != 400 {
		t.Fatal(err)
	}
	db.set(func(f *fakeDB) { f.down = false })
}

// What happens to a spool between two runs costs what was hit, is told in
// numbers, and the file is kept.
func TestDamagedSpool(t *testing.T) {
	tests := map[string]struct {
		damage           func(lines []string) []string // numbered from 101
		lost, damagedHit []string
		aside            int
	}{
		"a flipped byte":     {func(l []string) []string { l[30] = strings.Replace(l[30], "Bob", "Bab", 1); return l }, []string{"131"}, []string{"1"}, 1},
		"a hole":             {func(l []string) []string { return slices.Concat(l[:10], l[20:]) }, numbered(111, 120), nil, 1},
		"the head is gone":   {func(l []string) []string { return l[7:] }, numbered(101, 107), nil, 0},
		"blocks are swapped": {func(l []string) []string { return slices.Concat(l[200:], l[:200]) }, nil, nil, 0},
		"a doubled block":    {func(l []string) []string { return slices.Concat(l[:200], l[50:]) }, nil, nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, dir := newFakeDB(), t.TempDir()
				leave(t, db, dir)
				files := spoolFiles(t, dir)
				if len(files) != 1 {
					t.Fatal(files)
				}
				text, err := os.ReadFile(files[0])
				if err != nil {
					t.Fatal(err)
				}
				lines := tt.damage(strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n"))
				if err := os.WriteFile(files[0], []byte(strings.Join(lines, "")), 0o600); err != nil {
					t.Fatal(err)
				}
				r, log := newTestRecorder(t, db, dir)
				r.Record(chat(501))
				time.Sleep(5 * time.Second)
				closeRecorder(t, r)
				want := slices.DeleteFunc(numbered(1, 501), func(s string) bool { return slices.Contains(tt.lost, s) })
				if got := db.texts(); !slices.Equal(got, want) {
					t.Errorf("%d arrived, want %d", len(got), len(want))
				}
				if s := r.Stats(); int(s.Lost.Missing) != len(tt.lost) || int(s.Damaged) != len(tt.damagedHit) {
					t.Errorf("%+v", s)
				}
				aside, _ := filepath.Glob(filepath.Join(dir, spool.Quarantine, "*.jsonl"))
				if len(aside) != tt.aside || len(spoolFiles(t, dir)) != 0 || log.Count("the spool is damaged") != tt.aside {
					t.Errorf("aside %v, in the spool %v", aside, spoolFiles(t, dir))
				}
				if n := log.Count("records are missing"); n != min(len(tt.lost), 1) {
					t.Errorf("told %d times", n)
				}
			})
		})
	}
}
