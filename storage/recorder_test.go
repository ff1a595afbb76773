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

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
)

func newTestRecorder(t *testing.T, db *fakeDB, dir string, change ...func(*RecorderOptions)) (*Recorder, *testkit.Log) {
	t.Helper()
	log := new(testkit.Log)
	opts := RecorderOptions{Dir: dir, Name: "test", Log: zerolog.New(log)}
	for _, c := range change {
		c(&opts)
	}
	r, err := NewRecorder(db, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before dir is removed: a Close that gives up leaves a goroutine that still writes
		select {
		case <-r.stop:
			r.finished <- <-r.finished
		default:
		}
	})
	return r, log
}

func closeRecorder(t *testing.T, r *Recorder) {
	t.Helper()
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRecordsArriveInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		r, _ := newTestRecorder(t, db, dir)
		for n := 1; n <= 3000; n++ {
			r.Record(chat(n))
			if n%500 == 0 {
				time.Sleep(20 * time.Millisecond)
			}
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := db.texts(); !slices.Equal(got, numbered(1, 3000)) {
			t.Errorf("%d records arrived", len(got))
		}
		time.Sleep(5 * time.Second) // an idle spool keeps no file
		synctest.Wait()
		if s := r.Stats(); s.Recorded != 3000 || s.Applied != 3000 || s.Waiting != 0 || s.SpoolSize != 0 || s.Lost.Total() != 0 {
			t.Errorf("%+v", s)
		}
		closeRecorder(t, r)
		if !db.left {
			t.Error("the host did not sign off")
		}
		r.Record(chat(0))
		if s := r.Stats(); s.Lost.Closed != 1 {
			t.Errorf("after Close: %+v", s)
		}
		closeRecorder(t, r) // again does nothing
	})
}

// While the database is down the records wait on disk, over restarts too.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		r, log := newTestRecorder(t, db, dir, func(o *RecorderOptions) { o.memory = 64 << 10 })
		r.Record(chat(1))
		time.Sleep(time.Second)
		db.set(func(f *fakeDB) { f.down = true })
		for n := 2; n <= 20000; n++ { // more than the memory holds
			r.Record(chat(n))
			if n%100 == 0 {
				time.Sleep(60 * time.Millisecond)
				synctest.Wait()
			}
		}
		time.Sleep(3 * time.Minute)
		if n := log.Count("they wait in the spool"); n < 2 || n > 5 {
			t.Errorf("the outage of three minutes was told %d times", n)
		}
		s := r.Stats()
		if s.Waiting != 19999 || s.InMemory != 0 || !s.DBDown || s.Lost.Total() != 0 {
			t.Errorf("%+v", s)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var left *LeftoverError
		if err := r.Close(ctx); !errors.As(err, &left) || left.Records != 19999 || left.MemoryOnly != 0 {
			t.Fatalf("close: %v", err)
		}

		// The next start finds the database still down, then up.
		db.entered = -1
		r, _ = newTestRecorder(t, db, dir)
		r.Record(chat(20001))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if db.entered != -1 {
			t.Error("the host entered a database that was down")
		}
		db.set(func(f *fakeDB) { f.down = false })
		time.Sleep(time.Minute)
		r.Record(chat(20002))
		closeRecorder(t, r)
		want := append(numbered(1, 20000), "20001", "20002")
		if got := db.texts(); !slices.Equal(got, want) {
			t.Errorf("%d records arrived of %d", len(got), len(want))
		}
		if db.entered != 20000 {
			t.Errorf("the host entered after %d records, want 20000", db.entered)
		}
		if left := spoolFiles(t, dir); len(left) != 0 {
			t.Errorf("the spool is not empty: %v", left)
		}
	})
}

// A commit whose answer is lost is not applied twice.
func TestUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		r, _ := newTestRecorder(t, db, t.TempDir())
		for n := 1; n <= 50; n++ {
			db.set(func(f *fakeDB) { f.forgetful = n%2 == 0 })
			r.Record(chat(n))
			time.Sleep(time.Second)
		}
		closeRecorder(t, r)
		if got := db.texts(); !slices.Equal(got, numbered(1, 50)) {
			t.Errorf("got %v", got)
		}
	})
}

// A record that the database refuses holds up nobody else.
func TestRejectedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, dir := newFakeDB(), t.TempDir()
		bad := map[string]bool{"13": true, "500": true, "1000": true}
		db.refuse = func(rec Record) bool { return bad[rec.(ChatLine).Text] }
		r, log := newTestRecorder(t, db, dir)
		for n := 1; n <= 1000; n++ {
			r.Record(chat(n))
		}
		closeRecorder(t, r)
		want := slices.DeleteFunc(numbered(1, 1000), func(s string) bool { return bad[s] })
		if got := db.texts(); !slices.Equal(got, want) {
			t.Errorf("%d arrived", len(got))
		}
		if s := r.Stats(); s.Lost.Rejected != 3 || log.Count("refuses a record") != 3 {
			t.Errorf("%+v", s)
		}
		aside, err := os.ReadFile(filepath.Join(dir, "rejected.jsonl"))
		if err != nil || strings.Count(string(aside), "\n") != 3 || !strings.Contains(string(aside), `"Text":"500"`) {
			t.Errorf("put aside: %s, %v", aside, err)
		}
	})
}

// A full queue costs records, never time, and is said once a minute.
func TestQueueFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		r, log := newTestRecorder(t, db, t.TempDir(), func(o *RecorderOptions) { o.queueRecords = 10 })
		time.Sleep(time.Second)
		for range 20 {
			for n := range 30 {
				r.Record(chat(n))
			}
			time.Sleep(10 * time.Second)
		}
		if s := r.Stats(); s.Lost.QueueFull < 100 || s.Lost.QueueFull+s.Recorded != 600 {
			t.Errorf("%+v", s)
		}
		if n := log.Count("game records are lost"); n < 3 || n > 4 {
			t.Errorf("200 s of loss were told %d times", n)
		}
		closeRecorder(t, r)
	})
}

func TestSecondHostInOneDirectory(t *testing.T) {
	dir := t.TempDir()
	r, _ := newTestRecorder(t, newFakeDB(), dir)
	defer closeRecorder(t, r)
	if _, err := NewRecorder(newFakeDB(), RecorderOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), "running") {
		t.Errorf("%v", err)
	}
}

func TestHostIDStays(t *testing.T) {
	dir := t.TempDir()
	a, _ := newTestRecorder(t, newFakeDB(), dir)
	closeRecorder(t, a)
	b, _ := newTestRecorder(t, newFakeDB(), dir)
	closeRecorder(t, b)
	if a.Host().ID != b.Host().ID || a.Host().Run == b.Host().Run {
		t.Errorf("%+v, then %+v", a.Host(), b.Host())
	}
}

// A host id that a full disk or a crash has spoilt costs the id, not the host.
func TestSpoiltHostID(t *testing.T) {
	for _, spoilt := range []string{"", "0193", strings.Repeat("\x00", 37), "00000000-0000-0000-0000-000000000000\n", "no id"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "host-id"), []byte(spoilt), 0o600); err != nil {
			t.Fatal(err)
		}
		a, log := newTestRecorder(t, newFakeDB(), dir)
		closeRecorder(t, a)
		b, again := newTestRecorder(t, newFakeDB(), dir)
		closeRecorder(t, b)
		if a.Host().ID != b.Host().ID || log.Count("contains no host id") != 1 || again.Count("contains no host id") != 0 {
			t.Errorf("%q: %v, then %v", spoilt, a.Host(), b.Host())
		}
		if rest, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(rest) != 0 {
			t.Errorf("left behind: %v", rest)
		}
	}
}

// Another host is dead when its heartbeat stands still under our eyes, not
// when it is old: after an outage everyone has time to come back.
func TestSilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		old := time.Now().Add(-24 * time.Hour)
		db.others = []HostStatus{{ID: "dead", Heartbeat: old}, {ID: "live", Heartbeat: old}}
		r, _ := newTestRecorder(t, db, t.TempDir())
		for range 10 {
			time.Sleep(10 * time.Second)
			db.set(func(f *fakeDB) { f.others[1].Heartbeat = time.Now() })
		}
		if closed := db.hostsClosed(); len(closed) != 0 {
			t.Errorf("closed %v too early", closed)
		}
		db.set(func(f *fakeDB) { f.down = true }) // blind: begin anew
		time.Sleep(time.Minute)
		db.set(func(f *fakeDB) { f.down = false })
		for range 11 {
			time.Sleep(10 * time.Second)
			db.set(func(f *fakeDB) { f.others[1].Heartbeat = time.Now() })
		}
		if closed := db.hostsClosed(); len(closed) != 0 {
			t.Errorf("closed %v too early after an outage", closed)
		}
		time.Sleep(25 * time.Second)
		if closed := db.hostsClosed(); len(closed) == 0 || closed[0] != "dead" || slices.Contains(closed, "live") {
			t.Errorf("closed %v", closed)
		}
		closeRecorder(t, r)
	})
}
