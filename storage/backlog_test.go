package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"w3host/storage/spool"
)

// onDiskFrames appends n frames of 100 bytes to a spool, each as a pending of
// its own from first on.
func onDiskFrames(t *testing.T, s *spool.Spool, first, n int) (row []pending) {
	t.Helper()
	for seq := first; seq < first+n; seq++ {
		frames := append(spool.Begin(nil), make([]byte, 84)...)
		spool.Finish(frames, uint64(seq))
		spool.Seal(frames)
		at, err := s.Append(frames, uint64(seq), uint64(seq), 1)
		if err != nil {
			t.Fatal(err)
		}
		row = append(row, pending{first: uint64(seq), last: uint64(seq), records: 1, bytes: 100, frames: frames, at: at})
	}
	return row
}

func (b *backlog) shape() string {
	s := ""
	for _, p := range b.row {
		held, disk := "", ""
		if p.frames != nil {
			held = "m"
		}
		if !p.at.IsZero() {
			disk = "d"
		}
		s += fmt.Sprintf("%d-%d%s%s ", p.first, p.last, held, disk)
	}
	return s
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestBacklog(t *testing.T) {
	sp, _, err := spool.Open(t.TempDir(), spool.Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	b := newBacklog(600)
	row := onDiskFrames(t, sp, 1, 6)
	for _, p := range row {
		at := p.at
		p.at = spool.Range{}
		if !b.add(p) {
			t.Fatal("refused with room to spare")
		}
		if next, ok := b.unwritten(); !ok || next.first != p.first {
			t.Errorf("unwritten is %d, want %d", next.first, p.first)
		}
		if p.first <= 5 && !b.written(p, at) {
			t.Error("written, but nowhere to be found")
		}
	}
	if b.add(pending{first: 7, last: 7, records: 1, bytes: 100}) {
		t.Error("took more than memory holds")
	}
	want(t, "added", b.shape(), "1-1md 2-2md 3-3md 4-4md 5-5md 6-6m ")
	if n := b.onDisk(); n != 5 {
		t.Errorf("on disk up to %d, want 5", n)
	}

	// Only what is safe on disk is forgotten, however full memory is.
	b.syncedTo(spool.Run{}, 1)
	want(t, "synced one", b.shape(), "1-1d 2-2md 3-3md 4-4md 5-5md 6-6m ")

	// A sync up to 4 frees memory down to the half; what lies side by side joins.
	b.syncedTo(spool.Run{}, 4)
	want(t, "synced", b.shape(), "1-3d 4-4md 5-5md 6-6m ")

	// A sync that fails takes back what was not safe before.
	if lost := b.unsynced(spool.Run{}); len(lost) != 1 || lost[0].First != 5 {
		t.Errorf("taken back %+v", lost)
	}
	want(t, "unsynced", b.shape(), "1-3d 4-4md 5-5m 6-6m ")
	if next, _ := b.unwritten(); next.first != 5 {
		t.Errorf("unwritten is %d, want 5", next.first)
	}

	// What is being applied stays as it is, whatever the writer does.
	if taken := b.take(); len(taken) != 4 {
		t.Errorf("took %d", len(taken))
	}
	b.syncedTo(spool.Run{}, 6)
	want(t, "while taken", b.shape(), "1-3d 4-4md 5-5m 6-6m ")
	var free []uint64
	for _, r := range b.done() {
		free = append(free, r.First)
	}
	if !slices.Equal(free, []uint64{1, 4}) {
		t.Errorf("free %v", free)
	}
	if records, memoryOnly, _, _ := b.holds(spool.Run{}); records != 0 || memoryOnly != 0 || b.memory != 0 {
		t.Errorf("empty holds %d records, %d bytes", records, b.memory)
	}
	if b.written(row[5], row[5].at) {
		t.Error("wrote what the database has already")
	}
}

// What is being applied does not grow: done would remove what was not applied.
func TestBacklogTakenDoesNotGrow(t *testing.T) {
	sp, _, err := spool.Open(t.TempDir(), spool.Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	b := newBacklog(1000)
	for _, p := range onDiskFrames(t, sp, 1, 4) {
		p.records = applyRecords
		b.add(p)
	}
	if taken := b.take(); len(taken) != 1 {
		t.Fatalf("took %d", len(taken))
	}
	b.maxMemory = 0
	b.syncedTo(spool.Run{}, 4)
	want(t, "while one is taken", b.shape(), "1-1d 2-4d ")
	b.done()
	want(t, "after it is done", b.shape(), "2-4d ")
}

// A transaction holds one run only, and no more than its measure.
func TestBacklogTakes(t *testing.T) {
	b := newBacklog(1 << 30)
	add := func(run byte, records int, bytes int64) {
		b.add(pending{run: spool.Run{run}, first: uint64(len(b.row)), records: records, bytes: bytes})
	}
	add(1, 10, 100)
	add(2, applyRecords, 100)
	add(2, 1, 100)
	add(2, 1, applyBytes)
	add(2, 1, 10*applyBytes) // larger than any measure: alone
	for _, n := range []int{1, 1, 1, 1, 1, 0} {
		if row := b.take(); len(row) != n {
			t.Fatalf("took %d, want %d", len(row), n)
		}
		b.done()
	}
}

// When the disk loses what was written to it, it is written again, and comes
// once.
func TestFailedSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		db.down = true
		syncs := 0
		r, log := newTestRecorder(t, db, dir, func(o *RecorderOptions) {
			o.sync = func(s *spool.Spool) error {
				if syncs++; syncs%3 == 1 {
					return errors.New("input/output error")
				}
				return s.Sync()
			}
		})
		for n := 1; n <= 500; n++ {
			r.Record(chat(n))
			if n%50 == 0 {
				time.Sleep(700 * time.Millisecond)
			}
		}
		time.Sleep(time.Second)
		if files, err := filepath.Glob(filepath.Join(dir, "*.spool")); err != nil || len(files) < 3 || log.count("written again") != 1 {
			t.Errorf("after %d syncs: %v, %v", syncs, files, err)
		}
		db.set(func(f *fakeDB) { f.down = false })
		closeRecorder(t, r)
		if got := db.texts(); !slices.Equal(got, numbered(1, 500)) {
			t.Errorf("%d arrived: %v", len(got), got)
		}
		if s := r.Stats(); s.SpoolSize != 0 || s.Lost.Total() != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A spool file that somebody deletes costs its records, not the others.
func TestDeletedSpoolFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		db.down = true
		r, log := newTestRecorder(t, db, dir, func(o *RecorderOptions) { o.Memory = 32 << 10 })
		for n := 1; n <= 1000; n++ {
			r.Record(chat(n))
			if n%100 == 0 {
				time.Sleep(time.Second)
			}
		}
		synctest.Wait()
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range names {
			if e.Name() != "lock" && e.Name() != "host-id" {
				if err := os.Remove(dir + "/" + e.Name()); err != nil {
					t.Fatal(err)
				}
			}
		}
		db.set(func(f *fakeDB) { f.down = false })
		closeRecorder(t, r)
		got, s := len(db.texts()), r.Stats()
		if got+int(s.Lost.Rejected) != 1000 || s.Lost.Rejected == 0 || log.count("put aside") == 0 {
			t.Errorf("%d arrived, %+v", got, s)
		}
	})
}
