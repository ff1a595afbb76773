package storage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"w3host/internal/simdisk"
	"w3host/internal/testkit"
)

// onDisk begins a recorder on a simulated disk.
func onDisk(t *testing.T, db *fakeDB, p *simdisk.Process, change ...func(*RecorderOptions)) (*Recorder, *testkit.Log) {
	t.Helper()
	return newTestRecorder(t, db, "/spool", append(change, func(o *RecorderOptions) { o.Disk = p })...)
}

// hang is a disk that answers no write for a minute.
var hang = simdisk.Faults{Delay: func(op string) time.Duration {
	if op == "read" || op == "readdir" || op == "lstat" || op == "open" || op == "lock" {
		return 0
	}
	return time.Minute
}}

// While the disk hangs, records reach the database, the statistics answer, another recorder takes over from this one, and Close
// keeps its time. The spool is released as soon as the disk answers.
func TestHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, d := newFakeDB(), simdisk.New(1)
		p := d.Process(1)
		r, _ := onDisk(t, db, p)
		r.Record(chat(1))
		time.Sleep(3 * time.Second)
		d.Set(hang)
		r.Listens("10.0.0.1:6112")
		for n := 2; n <= 10; n++ {
			r.Record(chat(n))
			time.Sleep(time.Second)
		}
		if got := db.texts(); !slices.Equal(got, numbered(1, 10)) {
			t.Errorf("while the disk hangs, %q have arrived", got)
		}
		began := time.Now()
		if r.Stats(); time.Since(began) > 0 {
			t.Errorf("the statistics took %v", time.Since(began))
		}
		beside := r.Detach()
		beside.Record(chat(11))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Close(ctx); err == nil || time.Since(began) > 2*time.Second {
			t.Errorf("closed after %v: %v", time.Since(began), err)
		}
		time.Sleep(time.Second)
		if got := db.texts(); !slices.Equal(got, numbered(1, 11)) {
			t.Errorf("with a second recorder %q have arrived", got)
		}
		next := d.Process(2)
		if _, err := NewRecorder(db, RecorderOptions{Dir: "/spool", Disk: next}); err == nil {
			t.Error("the spool was released while its disk hung")
		}
		after, err := AwaitRecorder(t.Context(), db, RecorderOptions{Dir: "/spool", Disk: next}, 10*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		d.Set(simdisk.Faults{})
		time.Sleep(2 * time.Minute)
		closeRecorder(t, after)
		closeRecorder(t, beside)
		if n := p.Open() + next.Open(); n > 0 {
			t.Errorf("%d files are open", n)
		}
	})
}

// A recorder beside another one works without a disk.
func TestDetachOnABrokenDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, d := newFakeDB(), simdisk.New(1)
		p := d.Process(1)
		r, _ := onDisk(t, db, p)
		time.Sleep(time.Second)
		d.Set(simdisk.Faults{Capacity: 1, Fail: func(op, _ string) error {
			if op == "sync" {
				return syscall.EIO
			}
			return nil
		}})
		beside := r.Detach()
		closeRecorder(t, r)
		beside.Record(chat(1))
		time.Sleep(time.Second)
		if got := db.texts(); !slices.Equal(got, numbered(1, 1)) {
			t.Errorf("%q have arrived", got)
		}
		d.Set(simdisk.Faults{})
		closeRecorder(t, beside)
		if n := p.Open(); n > 0 {
			t.Errorf("%d files are open", n)
		}
	})
}

// Records that are only in a spool file wait for a disk that fails to read them.
func TestUnreadableSpool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, d := newFakeDB(), simdisk.New(1)
		db.down = true
		r, log := onDisk(t, db, d.Process(1), func(o *RecorderOptions) { o.memory = 64 << 10 })
		for n := 1; n <= 5000; n++ { // more than the memory holds
			r.Record(chat(n))
			if n%50 == 0 {
				time.Sleep(60 * time.Millisecond)
			}
		}
		d.Set(simdisk.Faults{Fail: func(op, _ string) error {
			if op == "read" {
				return syscall.EIO
			}
			return nil
		}})
		db.set(func(f *fakeDB) { f.down = false })
		time.Sleep(30 * time.Second)
		if n := log.Count("cannot read the spool"); n != 1 || r.Stats().Waiting == 0 {
			t.Errorf("logged %d times, %+v", n, r.Stats())
		}
		d.Set(simdisk.Faults{})
		time.Sleep(30 * time.Second)
		if got, s := db.texts(), r.Stats(); !slices.Equal(got, numbered(1, 5000)) || s.Lost.Total() != 0 {
			t.Errorf("%d records have arrived, %+v", len(got), s)
		}
		closeRecorder(t, r)
	})
}

// A power cut takes at most what was not synced: the next start stores all records up to a moment before, in order and once, and
// goes on.
func TestPowerCut(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			db, d := newFakeDB(), simdisk.New(seed)
			p := d.Process(1)
			r, _ := onDisk(t, db, p)
			time.Sleep(5 * time.Second)
			db.set(func(f *fakeDB) { f.down = true })
			for n := 1; n <= 300; n++ {
				r.Record(chat(n))
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(time.Second)
			for n := 301; n <= 400; n++ { // may be lost
				r.Record(chat(n))
			}
			time.Sleep(time.Duration(seed) * 2 * time.Millisecond)
			p.Kill()
			d.CutPower()
			dead, cancel := context.WithCancel(t.Context())
			cancel()
			_ = r.Close(dead)
			db.set(func(f *fakeDB) { f.down = false })
			next, _ := onDisk(t, db, d.Process(2))
			time.Sleep(time.Minute)
			got := db.texts()
			if len(got) < 300 || !slices.Equal(got, numbered(1, len(got))) {
				t.Errorf("seed %d: %d records are left, the last is %q", seed, len(got), got[max(0, len(got)-1):])
			}
			if s := next.Stats(); s.Waiting > 0 || s.Lost.Missing > 0 {
				t.Errorf("seed %d: %+v", seed, s)
			}
			closeRecorder(t, next)
			for _, name := range d.Files() {
				if strings.HasSuffix(name, ".jsonl") && !strings.Contains(name, "quarantine") || strings.HasSuffix(name, ".new") {
					t.Errorf("seed %d: %s is left", seed, name)
				}
			}
		})
	}
}

// A host whose registration was stored, and the answer lost, stays the same host.
func TestRegistrationWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, moved := &forgetfulDB{fakeDB: newFakeDB()}, false
		db.move = func() { moved = true }
		db.last = HostRun{Run: "an earlier run", Heartbeat: time.Now(), Now: time.Now()}
		r, err := NewRecorder(db, RecorderOptions{Dir: "/spool", Disk: simdisk.New(1).Process(1)})
		if err != nil {
			t.Fatal(err)
		}
		id := r.Host().ID
		time.Sleep(time.Minute)
		if moved || r.Host().ID != id || !r.entered.Load() || db.entries < 2 {
			t.Errorf("another id: %v; registered %v after %d times", moved, r.entered.Load(), db.entries)
		}
		closeRecorder(t, r)
	})
}

// forgetfulDB loses the answer to the first registration.
type forgetfulDB struct {
	*fakeDB
	last    HostRun
	entries int
	move    func()
}

func (f *forgetfulDB) LastRun(context.Context, string) (HostRun, error) {
	f.last.Now = time.Now()
	return f.last, nil
}

func (f *forgetfulDB) EnterHost(_ context.Context, h Host) (int, error) {
	f.last = HostRun{Run: h.Run, Heartbeat: time.Now()}
	if f.entries++; f.entries == 1 {
		return 0, errors.Join(ErrUnavailable, syscall.ECONNRESET)
	}
	return 0, nil
}

func (f *forgetfulDB) MoveHost(context.Context, string, Host) error {
	f.move()
	return nil
}

// A database that answers only now and then is in the log once a minute.
func TestFlappingDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		r, log := onDisk(t, db, simdisk.New(1).Process(1))
		for n := range 120 {
			db.set(func(f *fakeDB) { f.down = n%2 == 0 })
			r.Record(chat(n + 1))
			time.Sleep(2 * time.Second)
		}
		db.set(func(f *fakeDB) { f.down = false })
		time.Sleep(time.Minute)
		if n := log.Count("the database does not accept records"); n < 2 || n > 5 {
			t.Errorf("logged %d times in four minutes", n)
		}
		if got := db.texts(); !slices.Equal(got, numbered(1, 120)) {
			t.Errorf("%d records have arrived", len(got))
		}
		closeRecorder(t, r)
	})
}
