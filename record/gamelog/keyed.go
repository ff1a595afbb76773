package gamelog

import (
	"time"

	"w3host/storage"
)

// atOnce is the number range reserved for the records of one event; no event produces that many.
const atOnce = 1 << 16

// keyedRecorder assigns record numbers that are the same when the game's records are produced a second time, so
// that the database can ignore duplicates.
type keyedRecorder struct {
	to       Recorder
	keyed    bool   // whether records are numbered
	fact     uint64 // number of the current event
	next     uint64 // index of the next record of that event
	recorded uint64 // last event whose records are known to be stored; those are not recorded again
}

// Record passes a record on, with a number if keyed is set.
func (n *keyedRecorder) Record(r storage.Record) {
	n.next++
	if !n.keyed {
		n.to.Record(r)
	} else if n.fact > n.recorded {
		n.to.Record(storage.KeyedRecord{Record: r, Number: n.fact*atOnce + n.next - 1})
	}
}

// NumberRecords numbers all records by their events. Another process that takes the game over can then record them
// again without creating duplicates.
func (r *Records) NumberRecords() { r.to.keyed = true }

// Resume returns Records that continue the log of a game rebuilt from its journal. They observe all events
// again, but record only those after event number known.
func Resume(to Recorder, key storage.GameKey, opened time.Time, known uint64) *Records {
	r := NewRecords(to, opened)
	r.key = key
	r.to.keyed, r.to.recorded = true, known
	return r
}

// Fact returns the number of the last observed event.
func (r *Records) Fact() uint64 { return r.to.fact }
