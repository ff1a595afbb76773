package storage

import (
	"sync"

	"w3host/storage/spool"
)

const (
	// A transaction's worth: large enough that the cost of a commit does not
	// show, small enough that a retry is cheap.
	applyRecords = 4096
	applyBytes   = 1 << 20
)

// pending is a row of sealed frames that the database does not have yet.
type pending struct {
	run         spool.Run
	first, last uint64
	records     int
	bytes       int64
	frames      []byte      // nil: read them from the spool
	at          spool.Range // zero: not on disk
	synced      bool
}

// backlog is everything between the queue and the database, oldest first. It
// keeps as much in memory as it may, so that an upright database is fed
// without reading the spool; what is safe on disk is forgotten first.
//
// The writer adds at the end and marks what it put on disk; the applier takes
// from the front. What is not on disk is always the end of the row.
type backlog struct {
	maxMemory int64
	wake      chan struct{} // holds one token while there may be work

	mu       sync.Mutex
	row      []pending
	taken    int   // at the front, being applied
	memory   int64 // bytes of frames held
	records  int
	finished bool // no more will be added
}

func newBacklog(maxMemory int64) *backlog {
	return &backlog{maxMemory: maxMemory, wake: make(chan struct{}, 1)}
}

// restore adds what earlier lives left on disk.
func (b *backlog) restore(ranges []spool.Range) {
	for _, r := range ranges {
		b.row = append(b.row, pending{
			run: r.Run(), first: r.First, last: r.Last, records: r.Records, bytes: r.Bytes, at: r, synced: true,
		})
		b.records += r.Records
	}
	b.rouse()
}

// add takes in new frames, or refuses them when memory is full: then neither
// the disk nor the database has kept up for long.
func (b *backlog) add(p pending) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.memory+p.bytes > b.maxMemory {
		return false
	}
	b.row = append(b.row, p)
	b.memory += p.bytes
	b.records += p.records
	return true
}

// unwritten gives the oldest frames that are not on disk.
func (b *backlog) unwritten() (pending, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := len(b.row)
	for i > 0 && b.row[i-1].at.IsZero() {
		i--
	}
	if i == len(b.row) {
		return pending{}, false
	}
	return b.row[i], true
}

// written notes where frames are on disk. It says no when the database was
// faster: then nobody needs them there.
func (b *backlog) written(p pending, at spool.Range) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.row) - 1; i >= 0; i-- {
		if b.row[i].run == p.run && b.row[i].first == p.first {
			b.row[i].at = at
			return true
		}
	}
	return false
}

// onDisk tells the last number that a sync begun now will make safe.
func (b *backlog) onDisk() (last uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.row) - 1; i >= 0; i-- {
		if !b.row[i].at.IsZero() {
			return b.row[i].last
		}
	}
	return 0
}

// synced notes that frames up to last are safe, and forgets them in memory
// when half of that is used: the other half is for when the disk fails.
func (b *backlog) syncedTo(run spool.Run, last uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.row[:0]
	for i, p := range b.row {
		if p.run == run && p.last <= last && !p.at.IsZero() {
			p.synced = true
		}
		if p.synced && p.frames != nil && b.memory > b.maxMemory/2 {
			b.memory -= int64(len(p.frames))
			p.frames = nil
		}
		if i > b.taken && p.frames == nil && kept[len(kept)-1].join(p) {
			continue
		}
		kept = append(kept, p)
	}
	clear(b.row[len(kept):])
	b.row = kept
}

// join extends p by next when both are on disk only, side by side.
func (p *pending) join(next pending) bool {
	if p.frames != nil || p.run != next.run || !p.at.Join(next.at) {
		return false
	}
	p.last, p.records, p.bytes = next.last, p.records+next.records, p.bytes+next.bytes
	return true
}

// unsynced forgets the places of frames whose sync failed: they have to be
// written again. It gives the places back.
func (b *backlog) unsynced(run spool.Run) (lost []spool.Range) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.row {
		if p := &b.row[i]; p.run == run && !p.synced && !p.at.IsZero() {
			lost = append(lost, p.at)
			p.at = spool.Range{}
		}
	}
	return lost
}

// take gives the oldest frames, all of one run, for a transaction. They stay
// in the row until done.
func (b *backlog) take() []pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	var records int
	var bytes int64
	b.taken = 0
	for _, p := range b.row {
		if b.taken > 0 && (p.run != b.row[0].run || records+p.records > applyRecords || bytes+p.bytes > applyBytes) {
			break
		}
		records, bytes = records+p.records, bytes+p.bytes
		b.taken++
	}
	return append([]pending(nil), b.row[:b.taken]...)
}

// done removes what take gave and tells which places on disk are free.
func (b *backlog) done() (free []spool.Range) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.row[:b.taken] {
		b.memory -= int64(len(p.frames))
		b.records -= p.records
		if !p.at.IsZero() {
			free = append(free, p.at)
		}
	}
	rest := copy(b.row, b.row[b.taken:])
	clear(b.row[rest:])
	b.row, b.taken = b.row[:rest], 0
	return free
}

// finish says that nothing more will be added.
func (b *backlog) finish() {
	b.mu.Lock()
	b.finished = true
	b.mu.Unlock()
	b.rouse()
}

func (b *backlog) rouse() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// holds tells how many records wait, how many of them in memory only, and
// whether any is of another run than the given one.
func (b *backlog) holds(run spool.Run) (records, memoryOnly int, older, finished bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.row {
		if p.at.IsZero() {
			memoryOnly += p.records
		}
	}
	older = len(b.row) > 0 && b.row[0].run != run
	return b.records, memoryOnly, older, b.finished
}
