package storage

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/internal/tier"

	"golang.org/x/sys/unix"
)

// smallDisk mounts a disk of 1 MiB, which takes root.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		tier.Unable(t, "needs root to mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := bytes.Repeat([]byte("x"), 4096); ; {
		if _, err := f.Write(block); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			return
		}
	}
}

// The disk of the spool fills up: records go straight to the database; when
// that is away as well, and memory full, they are lost and counted, and games
// feel nothing. With space everything heals by itself.
func TestFullDisk(t *testing.T) {
	tier.All(t, "mounts a small disk and judges time")
	dir, db := smallDisk(t), newFakeDB()
	ballast := filepath.Join(dir, "ballast")
	r, log := newTestRecorder(t, db, filepath.Join(dir, "spool"), func(o *RecorderOptions) { o.memory, o.Heartbeat = 512<<10, 50*time.Millisecond })
	n := 0
	record := func(count int) {
		t.Helper()
		for range count {
			n++
			before := time.Now()
			r.Record(chat(n))
			if took := time.Since(before); took > 250*time.Millisecond {
				t.Errorf("Record took %v", took)
			}
		}
	}
	record(10)
	testkit.Eventually(t, "10 records arrive", func() bool { return len(db.texts()) == 10 })

	status := func(down bool) {
		t.Helper()
		testkit.Eventually(t, "the status tells of the spool", func() bool {
			s, err := ReadStatus(filepath.Join(dir, "spool"))
			return err == nil && s.Stats.SpoolDown == down
		})
	}
	status(false)
	fill(t, ballast)
	status(true)  // also while nothing is recorded
	for n < 200 { // the file may have room in its last page
		record(10)
		time.Sleep(time.Millisecond)
	}
	testkit.Eventually(t, "records go straight to the database", func() bool { return len(db.texts()) == n })
	record(1000) // 230 bytes each: more than a page
	testkit.Eventually(t, "the fault is noticed", func() bool { return r.Stats().SpoolDown })
	testkit.Eventually(t, "records go straight to the database", func() bool { return len(db.texts()) == n })
	if s := r.Stats(); s.Lost.Total() != 0 || log.Count("cannot write to the spool") != 1 {
		t.Errorf("with a database: %+v, told %d times", s, log.Count("cannot write to the spool"))
	}

	db.set(func(f *fakeDB) { f.down = true })
	testkit.Eventually(t, "something is lost", func() bool {
		record(100)
		return r.Stats().Lost.SpoolFull > 1000
	})
	testkit.Eventually(t, "the loss is told", func() bool { return log.Count("game records are lost") == 1 })
	if s := r.Stats(); s.InMemory == 0 || !s.DBDown {
		t.Errorf("without a database: %+v", s)
	}
	told := n

	// Space again: what memory holds is written, then what comes.
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	status(false)
	testkit.Eventually(t, "the spool works again", func() bool { s := r.Stats(); return !s.SpoolDown && s.InMemory == 0 })
	record(500)
	testkit.Eventually(t, "the spool takes all", func() bool { return r.Stats().InMemory == 0 })
	lost := r.Stats().Lost
	db.set(func(f *fakeDB) { f.down = false })
	testkit.Eventually(t, "all arrives", func() bool { return r.Stats().Waiting == 0 })
	closeRecorder(t, r)

	texts := db.texts()
	numbers := make([]int, len(texts))
	for i, text := range texts {
		numbers[i], _ = strconv.Atoi(text)
	}
	if !slices.IsSorted(numbers) || len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		t.Error("the records are not in order, or some came twice")
	}
	if len(numbers)+int(lost.SpoolFull) != n || lost.Total() != lost.SpoolFull {
		t.Errorf("%d arrived and %d are counted as lost, of %d", len(numbers), lost.SpoolFull, n)
	}
	if i := slices.Index(numbers, told+1); i < 0 || len(numbers)-i != 500 {
		t.Error("what came after the disk had space is not all there")
	}
	if log.Count("the spool can be written again") != 1 {
		t.Error("the log does not say that the spool works again")
	}
}
