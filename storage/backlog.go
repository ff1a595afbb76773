package storage

import (
	"cmp"
	"slices"
	"sync"

	"w3host/storage/spool"
)

const (
	// applyRecords is the maximum number of records per transaction: large enough to amortise the commit,
	// small enough for cheap retries.
	applyRecords = 4096
	// segmentBytes is the size at which a new spool file is started. A file is read back and deleted as a
	// whole.
	segmentBytes = 4 << 20
)

// segment is a spool file, or the records that will be written to one.
type segment struct {
	run     string
	records int               // not yet in the database
	last    uint64            // number of the last record
	entries []SequencedRecord // those records; nil if they are only in the file
	memory  int               // bytes that entries take
	bytes   int               // bytes of all lines the segment has held

	lines     []byte      // not synced to disk yet
	written   int         // bytes of lines already in the file
	unwritten int         // records not yet in the file
	file      *spool.File // nil until it is created
	replaced  *spool.File // file whose sync failed; removed once its successor is synced
	sealed    bool        // accepts no more records
}

func (s *segment) safe() bool { return len(s.lines) == 0 && s.file != nil }

// backlog holds all records between the queue and the database, oldest first. It keeps as many in memory as
// it may, so that a healthy database never has to wait for the disk. Records that are safe on disk are
// dropped from memory first.
//
// The writer adds records, writes segments to files and removes applied ones. The applier takes records from
// the front.
type backlog struct {
	maxMemory int
	wake      chan struct{} // holds a token while there may be work for the applier

	mu       sync.Mutex
	segments []*segment
	memory   int
	finished bool // no more records will be added
	failed   bool // a sync failed; the writer must write again
}

func newBacklog(maxMemory int, left []*spool.File) *backlog {
	b := &backlog{maxMemory: maxMemory, wake: make(chan struct{}, 1)}
	for _, f := range left {
		b.segments = append(b.segments, &segment{run: f.Run, records: f.Records, last: f.Last, file: f, sealed: true})
	}
	return b
}

// add appends a record and its encoded line. It returns false if the memory limit is reached, which means
// that both disk and database have been too slow for long.
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

// write appends the lines that are in no file yet, oldest first. It does not hold the lock while writing.
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

// rewrite detaches files after a failed sync. It is unknown how much of them is on disk, so their records go
// to new files.
func (b *backlog) rewrite() {
	b.failed = false
	var useless []*spool.File
	for _, s := range b.segments {
		if s.file == nil || s.safe() {
			continue
		}
		if s.replaced == nil {
			s.replaced = s.file
		} else {
			useless = append(useless, s.file)
		}
		s.lines = nil
		for _, e := range s.entries {
			line, _ := encodeLine(s.run, e) // cannot fail: it was encoded before
			s.lines = line.Append(s.lines)
		}
		s.file, s.written, s.unwritten, s.sealed = nil, 0, s.records, true
	}
	_ = b.remove(useless) // if that fails, the applier skips the record numbers of the files
}

// remove deletes files. It unlocks the backlog meanwhile, because a disk may take long.
func (b *backlog) remove(files []*spool.File) (err error) {
	b.mu.Unlock()
	defer b.mu.Lock()
	for _, f := range files {
		err = cmp.Or(err, f.Remove())
	}
	return err
}

// sync syncs the written lines to disk. When half of the memory is used, it drops synced records from memory;
// the other half is reserved for a failing disk.
func (b *backlog) sync(sync func(*spool.File) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var useless []*spool.File
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
			useless = append(useless, s.replaced)
			s.replaced = nil
		}
	}
	applying := true // the first segment with records may be in use by the applier
	for _, s := range b.segments {
		if !applying && b.memory > b.maxMemory/2 && s.safe() {
			b.memory -= s.memory
			s.entries, s.memory, s.sealed = nil, 0, true
		}
		applying = applying && s.records == 0
	}
	_ = b.remove(useless) // if that fails, the next start skips the record numbers of the files
	return nil
}

// sweep removes applied segments from the front. The last one stays for further records unless all is set.
func (b *backlog) sweep(all bool) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var applied []*spool.File
	for len(b.segments) > 0 && b.segments[0].records == 0 {
		s := b.segments[0]
		if len(b.segments) == 1 && !all && !s.sealed && s.unwritten == 0 {
			break
		}
		for _, f := range []*spool.File{s.file, s.replaced} {
			if f != nil {
				applied = append(applied, f)
			}
		}
		b.segments = b.segments[1:]
	}
	return b.remove(applied)
}

// front returns the segment to apply next, or nil.
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

// take returns the oldest records of a segment for one transaction, or none if they must be read from the
// file first. The records stay until done is called.
func (b *backlog) take(s *segment) []SequencedRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	return s.entries[:min(len(s.entries), applyRecords)]
}

// restore sets the records of a segment as read from its file. There may be fewer than expected.
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
	// If the database was faster than the disk, the remaining lines are not written. Since the numbers in a
	// file must have no gaps, nothing may follow in this one.
	s.sealed = s.sealed || s.records == 0 && s.written < len(s.lines)
}

// finish marks the backlog as complete.
func (b *backlog) finish() {
	b.mu.Lock()
	b.finished = true
	b.mu.Unlock()
	notify(b.wake)
}

// holding summarises the records in the backlog.
type holding struct {
	records    int
	memoryOnly int // records that are in no file
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
