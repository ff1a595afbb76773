package storage

import (
	"slices"
	"sync"

	"w3host/storage/spool"
)

const (
	// applyRecords is a transaction's worth: large enough that the cost of a
	// commit does not show, small enough that a retry is cheap.
	applyRecords = 4096
	// segmentBytes is when a new file of the spool is begun. A file is read
	// back and deleted whole.
	segmentBytes = 4 << 20
)

// segment is one file of the spool, or what will be one.
type segment struct {
	run     string
	records int               // that the database does not have
	last    uint64            // number of the last of them
	entries []SequencedRecord // the same, nil when they are in the file alone
	memory  int               // bytes that entries count for
	bytes   int               // of all lines that it ever held

	lines     []byte      // that no sync has made safe
	written   int         // bytes of lines that are in the file
	unwritten int         // records that are not in the file
	file      *spool.File // nil: none yet
	replaced  *spool.File // a file whose sync failed; it goes when its successor is safe
	sealed    bool        // takes no more records
}

func (s *segment) safe() bool { return len(s.lines) == 0 && s.file != nil }

// backlog is everything between the queue and the database, oldest first. It
// keeps as much in memory as it may, so that a healthy database is served
// from memory; records safe on disk are dropped from memory first.
//
// The writer adds records, writes segments to files and removes those that are
// applied; the applier takes records from the front.
type backlog struct {
	maxMemory int
	wake      chan struct{} // holds one token while there may be work

	mu       sync.Mutex
	segments []*segment
	memory   int
	finished bool // no more will be added
	failed   bool // a sync has; the writer has to write again
}

func newBacklog(maxMemory int, left []*spool.File) *backlog {
	b := &backlog{maxMemory: maxMemory, wake: make(chan struct{}, 1)}
	for _, f := range left {
		b.segments = append(b.segments, &segment{run: f.Run, records: f.Records, last: f.Last, file: f, sealed: true})
	}
	return b
}

// add appends a record with its line, or refuses it when memory is full: then
// neither the disk nor the database has kept up for long.
func (b *backlog) add(run string, e SequencedRecord, line []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.memory+len(line) > b.maxMemory {
		return false
	}
	n := len(b.segments)
	if n == 0 || b.segments[n-1].sealed || b.segments[n-1].bytes > min(segmentBytes, b.maxMemory/8) {
		b.segments = append(b.segments, &segment{run: run})
		n++
	}
	s := b.segments[n-1]
	s.entries = append(s.entries, e)
	s.lines = append(s.lines, line...)
	s.last = e.Seq
	s.records++
	s.unwritten++
	s.bytes += len(line)
	s.memory += len(line)
	b.memory += len(line)
	return true
}

// write appends the lines that are in no file yet, oldest first. It holds no lock while it writes.
func (b *backlog) write(sp *spool.Spool) (wrote bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed {
		b.rewrite()
	}
	for _, s := range slices.Clone(b.segments) {
		lines, n, file := s.lines[s.written:], s.unwritten, s.file
		if len(lines) == 0 || s.records == 0 {
			continue
		}
		b.mu.Unlock()
		if file == nil {
			file, err = sp.Create()
		}
		if err == nil {
			err = file.Append(lines)
		}
		b.mu.Lock()
		s.file = file
		if err != nil {
			return wrote, err
		}
		wrote = true
		s.written += len(lines)
		s.unwritten = max(0, s.unwritten-n)
	}
	return wrote, nil
}

// rewrite takes the files from segments that a failed sync has not made safe. It is not
// known how much of them the disk holds, so they go to another file.
func (b *backlog) rewrite() {
	b.failed = false
	for _, s := range b.segments {
		if s.file == nil || s.safe() {
			continue
		}
		if s.replaced == nil {
			s.replaced = s.file
		} else {
			_ = s.file.Remove() // the applier skips the numbers of a file that stays
		}
		s.lines = nil
		for _, e := range s.entries {
			line, _ := encodeLine(s.run, e) // it went well before
			s.lines = line.Append(s.lines)
		}
		s.file, s.written, s.unwritten, s.sealed = nil, 0, s.records, true
	}
}

// sync makes the written lines safe. It drops them from memory when half of the
// memory is used; the other half is for a disk that fails.
func (b *backlog) sync(sync func(*spool.File) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range slices.Clone(b.segments) {
		file, written := s.file, s.written
		if b.failed || written == 0 {
			continue
		}
		b.mu.Unlock()
		err := sync(file)
		b.mu.Lock()
		if err != nil {
			b.failed = true
			return err
		}
		s.lines, s.written = s.lines[written:], s.written-written
		if s.replaced != nil && s.safe() {
			_ = s.replaced.Remove()
			s.replaced = nil
		}
	}
	applying := true // the first with records may be in the hands of the applier
	for _, s := range b.segments {
		if !applying && b.memory > b.maxMemory/2 && s.safe() {
			b.memory -= s.memory
			s.entries, s.memory, s.sealed = nil, 0, true
		}
		applying = applying && s.records == 0
	}
	return nil
}

// sweep removes the segments at the front that are applied. The last one stays
// for the next records, unless all is to go.
func (b *backlog) sweep(all bool) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.segments) > 0 && b.segments[0].records == 0 {
		s := b.segments[0]
		if len(b.segments) == 1 && !all && !s.sealed && s.unwritten == 0 {
			return nil
		}
		for _, f := range []*spool.File{s.file, s.replaced} {
			if f != nil && err == nil {
				err = f.Remove()
			}
		}
		b.segments = b.segments[1:]
	}
	return err
}

// front is the segment to be applied next, nil when there is none.
func (b *backlog) front() *segment {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.segments {
		if s.records > 0 {
			return s
		}
	}
	return nil
}

// take gives the oldest records of a segment for a transaction; nil means that
// they have to be read from its file first. They stay until done.
func (b *backlog) take(s *segment) []SequencedRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	return s.entries[:min(len(s.entries), applyRecords)]
}

// restore gives a segment the records that were read from its file, which may
// be fewer than there should be.
func (b *backlog) restore(s *segment, entries []SequencedRecord) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.entries, s.records = entries, len(entries)
}

// done removes the oldest n records of a segment.
func (b *backlog) done(s *segment, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	freed := s.memory
	if n < len(s.entries) {
		freed = s.memory / len(s.entries) * n
	}
	s.memory -= freed
	b.memory -= freed
	clear(s.entries[:n])
	s.entries = s.entries[n:]
	s.records -= n
	s.unwritten = min(s.unwritten, s.records)
	// When the database was faster than the disk, the rest of the file is not
	// needed; the numbers in a file have no gap, so nothing may follow.
	s.sealed = s.sealed || s.records == 0 && s.written < len(s.lines)
}

// finish says that nothing more will be added.
func (b *backlog) finish() {
	b.mu.Lock()
	b.finished = true
	b.mu.Unlock()
	notify(b.wake)
}

// holding counts the records that wait in the backlog.
type holding struct {
	records    int
	memoryOnly int // of these, in no file
	bytes      int64
	finished   bool
}

func (b *backlog) holds() (h holding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.segments {
		h.records += s.records
		h.memoryOnly += s.unwritten
		if s.file != nil {
			h.bytes += s.file.Size()
		}
	}
	h.finished = b.finished
	return h
}
