package storage

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
)

// BenchmarkRecorder is how many records a second go from the games through the
// spool on disk to a database that costs nothing.
func BenchmarkRecorder(b *testing.B) {
	const burst = 50_000
	line := ChatLine{Game: testKey, At: testTime, PID: 2, Name: "Bob", Scope: ChatAll, Text: "gg wp everyone"}
	n := 0
	for b.Loop() {
		r, err := NewRecorder(newFakeDB(), RecorderOptions{Dir: b.TempDir(), Log: zerolog.Nop()})
		if err != nil {
			b.Fatal(err)
		}
		for range burst {
			r.Record(line)
		}
		if err := r.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		n += burst
		if s := r.Stats(); s.Applied != burst {
			b.Fatalf("%+v", s)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkReplay is the same for records that an earlier run left on disk.
func BenchmarkReplay(b *testing.B) {
	const left = 50_000
	line := ChatLine{Game: testKey, At: testTime, PID: 2, Name: "Bob", Scope: ChatAll, Text: "gg wp everyone"}
	n := 0
	for b.Loop() {
		b.StopTimer()
		db, dir := newFakeDB(), b.TempDir()
		db.down = true
		r, err := NewRecorder(db, RecorderOptions{Dir: dir, Log: zerolog.Nop()})
		if err != nil {
			b.Fatal(err)
		}
		for range left {
			r.Record(line)
		}
		testkit.Eventually(b, "the records are in the spool", func() bool { s := r.Stats(); return s.Waiting == left && s.InMemory == 0 })
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		var leftover *LeftoverError
		if err := r.Close(ctx); !errors.As(err, &leftover) || leftover.Records != left {
			b.Fatal(err)
		}
		cancel()
		db.set(func(f *fakeDB) { f.down = false })
		b.StartTimer()
		if r, err = NewRecorder(db, RecorderOptions{Dir: dir, Log: zerolog.Nop()}); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		n += left
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}
