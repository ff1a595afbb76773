package storage

import (
	"sync"

	"w3host/storage/spool"
)

const (
	// chunkBytes is what the queue allocates at a time: large enough to be
	// rare, small enough that clearing one takes a game only microseconds.
	chunkBytes = 64 << 10
	// spareChunks are kept for reuse; more than this many come only in bursts.
	spareChunks = 8
)

// queue is where games leave encoded records for the writer. It is bounded in
// records and in bytes; what does not fit is counted, never waited for.
type queue struct {
	maxRecords int
	maxBytes   int
	wake       chan struct{} // holds one token while there is something to take

	mu      sync.Mutex
	tail    []byte   // being filled
	full    [][]byte // filled before it
	spare   [][]byte
	records int
	bytes   int
	seq     uint64 // of the last record taken in
	closed  bool
	tooMany uint64 // records refused because the queue was full
	tooLate uint64 // records refused because it was closed
	tooLong uint64 // records refused because no spool frame holds them
}

// chunk is a row of frames as taken from the queue, not sealed yet.
type chunk struct {
	frames      []byte
	first, last uint64
}

func newQueue(maxRecords, maxBytes int) *queue {
	return &queue{maxRecords: maxRecords, maxBytes: maxBytes, wake: make(chan struct{}, 1)}
}

// put encodes rec into the queue.
func (q *queue) put(rec Record) {
	q.mu.Lock()
	switch {
	case q.closed:
		q.tooLate++
		q.mu.Unlock()
		return
	case q.records >= q.maxRecords || q.bytes >= q.maxBytes:
		q.tooMany++
		q.mu.Unlock()
		return
	}
	if cap(q.tail)-len(q.tail) < chunkBytes/8 {
		q.turnOver()
	}
	at := len(q.tail)
	q.tail = appendRecord(spool.Begin(q.tail), rec)
	if len(q.tail)-at-spool.FrameHeader > spool.MaxPayload {
		q.tail = q.tail[:at]
		q.tooLong++
		q.mu.Unlock()
		return
	}
	q.seq++
	spool.Finish(q.tail[at:], q.seq)
	q.bytes += len(q.tail) - at
	q.records++
	first := q.records == 1
	q.mu.Unlock()
	if first {
		q.rouse()
	}
}

// take empties the queue. The chunks are copies, sized to what they hold.
func (q *queue) take() []chunk {
	q.mu.Lock()
	full := q.full
	if len(q.tail) > 0 {
		full = append(full, q.tail)
	}
	first := q.seq - uint64(q.records) + 1
	q.tail, q.full, q.records, q.bytes = nil, nil, 0, 0
	q.mu.Unlock()

	chunks := make([]chunk, 0, len(full))
	for _, b := range full {
		n := countFrames(b)
		c := chunk{frames: append(make([]byte, 0, len(b)), b...), first: first, last: first + n - 1}
		chunks = append(chunks, c)
		first = c.last + 1
	}
	q.reuse(full)
	return chunks
}

// close refuses whatever comes from now on.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.rouse()
}

func (q *queue) rouse() {
	select {
	case q.wake <- struct{}{}:
	default: // a token is there already
	}
}

// turnOver begins a new chunk, with the lock held.
func (q *queue) turnOver() {
	if len(q.tail) > 0 {
		q.full = append(q.full, q.tail)
	}
	if n := len(q.spare); n > 0 {
		q.tail, q.spare = q.spare[n-1], q.spare[:n-1]
		return
	}
	q.tail = make([]byte, 0, chunkBytes)
}

func (q *queue) reuse(chunks [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range chunks {
		if len(q.spare) < spareChunks && cap(b) == chunkBytes {
			q.spare = append(q.spare, b[:0])
		}
	}
}

// sequence numbers in a chunk have no gaps, so that counting is enough.
func countFrames(b []byte) (n uint64) {
	for len(b) > 0 {
		b = b[spool.FrameSize(b):]
		n++
	}
	return n
}
