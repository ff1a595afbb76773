package storage

import (
	"testing"
	"time"
)

func TestRecordAllocates(t *testing.T) {
	q := newQueue(1<<20, 1<<30)
	line := ChatLine{Game: testKey, At: testTime, PID: 2, Name: "Bob", Scope: ChatAll, Text: "gg wp everyone"}
	slots := make([]StartedSlot, 10)
	n := 0
	allocs := testing.AllocsPerRun(5000, func() {
		q.put(line)
		if n++; n%100 == 0 {
			q.records, q.bytes, q.tail = 0, 0, q.tail[:0]
		}
	})
	if allocs > 0.05 {
		t.Errorf("a chat line costs %v allocations", allocs)
	}
	_ = slots
}

// BenchmarkRecord is what one record costs the game's goroutine.
func BenchmarkRecord(b *testing.B) {
	for name, rec := range map[string]Record{
		"chat": ChatLine{Game: testKey, At: testTime, PID: 2, Name: "Bob", Scope: ChatAll, Text: "gg wp everyone"},
		"left": PlayerLeft{testKey, testTime, 2, 9000, 7, "lost", 45 * time.Millisecond, 1234},
	} {
		b.Run(name, func(b *testing.B) {
			q := newQueue(1<<30, 1<<40)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				q.put(rec)
				if n%1000 == 999 { // what the writer does every 50 ms
					b.StopTimer()
					q.take()
					b.StartTimer()
				}
			}
		})
	}
}
