//go:build unix

package storage_test

import (
	"testing"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// sink collects records as a batch.
type sink struct{ batch storage.Batch }

func (s *sink) Record(r storage.Record) {
	s.batch.Records = append(s.batch.Records, storage.SequencedRecord{Seq: uint64(len(s.batch.Records) + 1), Record: r})
}

// BenchmarkApply is how fast a database takes whole games in transactions of
// the size that the Recorder makes of a backlog.
func BenchmarkApply(b *testing.B) {
	databases := map[string]func(testing.TB) string{
		"SQLite":   storagetest.SQLite,
		"Postgres": func(t testing.TB) string { return storagetest.NewServer(t).URL },
	}
	for name, database := range databases {
		b.Run(name, func(b *testing.B) {
			db := storagetest.Open(b, database(b))
			rows := 0
			for b.Loop() {
				b.StopTimer()
				s := sink{storage.Batch{HostID: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}}
				for len(s.batch.Records) < 4000 {
					playGame(&s, storage.NewGameKey(), 10, 5)
				}
				b.StartTimer()
				if err := db.Apply(b.Context(), s.batch); err != nil {
					b.Fatal(err)
				}
				rows += len(s.batch.Records)
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
