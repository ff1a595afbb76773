package gamelog

import (
	"time"

	"w3host/storage"
)

// atOnce is the most records that one fact makes.
const atOnce = 1 << 16

// numbered gives records that may be made twice numbers that are the same then.
type numbered struct {
	to       Recorder
	twice    bool
	fact     uint64 // that makes them
	next     uint64 // of its records
	recorded uint64 // the last fact whose records are known; they are not recorded twice
}

// Record passes a record on.
func (n *numbered) Record(r storage.Record) {
	n.next++
	if !n.twice {
		n.to.Record(r)
	} else if n.fact > n.recorded {
		n.to.Record(storage.Numbered{Record: r, Number: n.fact*atOnce + n.next - 1})
	}
}

// Survive has the records numbered by their facts, so that another process can record those
// again that may have been lost.
func (r *Records) Survive() { r.to.twice = true }

// Resume goes on with the records of a game that was made again. It observes all facts, and
// makes the records of those behind the one that is known.
func Resume(to Recorder, key storage.GameKey, opened time.Time, known uint64) *Records {
	r := NewRecords(to, opened)
	r.key = key
	r.to.twice, r.to.recorded = true, known
	return r
}

// Fact is the last that was observed.
func (r *Records) Fact() uint64 { return r.to.fact }
