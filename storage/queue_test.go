package storage

import (
	"testing"
	"time"
)

// hidden is how a game sees the recorder when it does not know the type: then
// the compiler does not either, and a record goes through the heap.
var hidden interface{ put(Record) }

// A record that a game hands over is one allocation: it goes into an interface.
func TestRecordAllocates(t *testing.T) {
	q := newQueue(1 << 20)
	line := ChatLine{Game: testKey, At: testTime, PID: 2, Name: "Bob", Scope: ChatAll, Text: "gg wp everyone"}
	hidden = q
	n := 0
	if allocs := testing.AllocsPerRun(5000, func() {
		hidden.put(line)
		if n++; n%100 == 0 {
			q.take()
		}
	}); allocs > 1.05 {
		t.Errorf("a chat line costs %v allocations", allocs)
	}
}

// BenchmarkRecord is what one record costs the game's goroutine.
func BenchmarkRecord(b *testing.B) {
	line := ChatLine{Game: testKey, At: testTime, PID: 2, Name: "Bob", Scope: ChatAll, Text: "gg wp everyone"}
	left := PlayerLeft{testKey, testTime, 2, 9000, 7, "lost", 45 * time.Millisecond, 1234}
	q := newQueue(1 << 30)
	hidden = q
	for name, record := range map[string]func(){
		"chat":                   func() { q.put(line) },
		"left":                   func() { q.put(left) },
		"chat through interface": func() { hidden.put(line) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				record()
				if n%1000 == 999 { // what the writer does every 50 ms
					b.StopTimer()
					q.take()
					b.StartTimer()
				}
			}
		})
	}
}
