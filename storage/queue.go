package storage

import "sync"

// queue passes records from games to the writer. It is bounded: put never blocks, and counts records that do
// not fit as lost.
type queue struct {
	limit int
	wake  chan struct{} // holds a token while there are records to take

	mu      sync.Mutex
	records []Record
	spare   []Record // slice returned by the last take, for reuse
	closed  bool
	stats   RecorderStats // counters of the Recorder
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, wake: make(chan struct{}, 1)}
}

func (q *queue) put(rec Record) {
	q.mu.Lock()
	switch {
	case q.closed:
		q.stats.Lost.Closed++
	case len(q.records) >= q.limit:
		q.stats.Lost.QueueFull++
	default:
		q.records = append(q.records, rec)
		q.stats.Recorded++
	}
	first := len(q.records) == 1
	q.mu.Unlock()
	if first {
		notify(q.wake)
	}
}

// take empties the queue. The slice is valid until the next take.
func (q *queue) take() []Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.spare)
	q.records, q.spare = q.spare[:0], q.records
	return q.spare
}

// close refuses all further records.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	notify(q.wake)
}

func (q *queue) count(change func(*RecorderStats)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change(&q.stats)
}

// notify adds a token, unless there is one already.
func notify(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
