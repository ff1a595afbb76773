package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"w3host/storage/internal/filelock"
)

const (
	suffix   = ".spool"
	lockName = "lock"
	// segmentBytes is when a new file is begun. A file is deleted whole, so
	// this is about what a caught-up spool may still hold.
	segmentBytes = 16 << 20
)

// Spool is one directory of segments, owned by one process. One goroutine may
// append, one read and release, and one sync, all at the same time.
type Spool struct {
	dir  string
	run  Run
	lock *filelock.Lock

	mu       sync.Mutex
	segments []*segment // all that hold unreleased frames, and the active one
	active   *segment   // the last of them, or nil
	spare    *segment   // made ahead of need, or nil
	begun    uint64     // number of the last file that became active
	newFile  bool       // the directory itself wants a sync

	number atomic.Uint64 // of the newest file
}

// Left is what earlier lives left in the directory.
type Left struct {
	Ranges []Range
	Cut    int64    // bytes of half-written frames that were cut off
	Faults []string // files that could not be read; they stay where they are
}

// Open takes the directory, which is created when missing, and tells what is
// to be replayed from it. run names the life that begins.
func Open(dir string, run Run) (*Spool, Left, error) {
	var left Left
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, left, fmt.Errorf("create the spool directory: %w", err)
	}
	lock, err := filelock.Try(filepath.Join(dir, lockName))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, left, fmt.Errorf("the spool in %s belongs to a w3host that is running: give each its own data directory", dir)
	}
	if err != nil {
		return nil, left, fmt.Errorf("open the spool: %w", err)
	}
	s := &Spool{dir: dir, run: run, lock: lock}
	if err := s.load(&left); err != nil {
		_ = lock.Unlock()
		return nil, left, err
	}
	// On a busy disk making a file can take seconds: make it before a record
	// waits for it. On a full disk the first Append tries again and says so.
	s.spare, _ = s.create()
	return s, left, nil
}

func (s *Spool) load(left *Left) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("read the spool: %w", err)
	}
	var numbers []uint64
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		if n, err := strconv.ParseUint(name, 10, 64); ok && err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		s.number.Store(n)
		seg, ranges, cut, err := scan(s.path(n))
		if err != nil {
			left.Faults = append(left.Faults, err.Error())
			continue
		}
		left.Cut += cut
		if len(ranges) == 0 {
			if err := os.Remove(seg.path); err != nil {
				left.Faults = append(left.Faults, err.Error())
			}
			continue
		}
		s.segments = append(s.segments, seg)
		left.Ranges = append(left.Ranges, ranges...)
	}
	return nil
}

// Append writes sealed frames at the end. After an error nothing of them
// counts as written, and the same frames may be appended again.
func (s *Spool) Append(data []byte, first, last uint64, records int) (Range, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.active; a != nil && a.size+int64(len(data)) > segmentBytes && a.size > segmentHeader {
		s.retire()
	}
	if s.active == nil {
		if err := s.begin(); err != nil {
			return Range{}, fmt.Errorf("begin a spool file: %w", err)
		}
	}
	a := s.active
	file, at := a.file, a.size

	// A slow write must not hold up a reader; only the appender moves size.
	s.mu.Unlock()
	_, err := file.WriteAt(data, at)
	s.mu.Lock()
	if err != nil {
		_ = file.Truncate(at) // give the space back; a rest would be cut by its checksum
		return Range{}, fmt.Errorf("write the spool: %w", err)
	}
	a.size += int64(len(data))
	a.pending += records
	a.dirty = true
	return Range{seg: a, off: at, Bytes: int64(len(data)), First: first, Last: last, Records: records}, nil
}

// Sync makes what was appended survive a power cut.
func (s *Spool) Sync() error {
	s.mu.Lock()
	var dirty []*segment
	var files []*os.File
	for _, seg := range s.segments {
		if seg.dirty && seg.file != nil {
			seg.dirty = false
			dirty, files = append(dirty, seg), append(files, seg.file)
		}
	}
	newFile := s.newFile
	s.newFile = false
	s.mu.Unlock()

	var err error
	for _, f := range files {
		// A file that was closed meanwhile was released: nobody needs it.
		if e := f.Sync(); e != nil && !errors.Is(e, fs.ErrClosed) {
			err = errors.Join(err, fmt.Errorf("sync the spool: %w", e))
		}
	}
	if newFile {
		err = errors.Join(err, syncDir(s.dir))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range dirty {
		if seg.closing && !seg.dirty {
			seg.closeFile()
		}
	}
	if s.active != nil && s.active.size > segmentBytes/2 && s.spare == nil {
		s.makeSpare()
	}
	return err
}

// Abandon ends the active file after a failed Sync: what the disk holds of it
// is not known, so later frames go to another one.
func (s *Spool) Abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active != nil {
		s.retire()
	}
}

// Read gives the frames of a range, checked.
func (s *Spool) Read(r Range) ([]byte, error) {
	f, err := os.Open(r.seg.path)
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	defer f.Close()
	data := make([]byte, r.Bytes)
	if _, err := f.ReadAt(data, r.off); err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	return data, nil
}

// Release says that a range is in the database. A file of which all is
// released is deleted once it is no longer written to.
func (s *Spool) Release(r Range) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.seg.pending -= r.Records
	if r.seg.pending > 0 || r.seg == s.active {
		return nil
	}
	return s.remove(r.seg)
}

// Trim empties the active file when nothing in it is needed any more. The
// file stays for the next record.
func (s *Spool) Trim() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.active
	if a == nil || a.pending > 0 || a.size == segmentHeader {
		return nil
	}
	if err := a.file.Truncate(segmentHeader); err != nil {
		return fmt.Errorf("empty the spool: %w", err)
	}
	a.size = segmentHeader
	return nil
}

// Size tells how many bytes of frames the files hold.
func (s *Spool) Size() (bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.segments {
		bytes += seg.size - segmentHeader
	}
	return bytes
}

// Close syncs and lets the directory go. What is not released stays in it.
func (s *Spool) Close() error {
	err := s.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active != nil && s.active.pending == 0 {
		err = errors.Join(err, s.remove(s.active))
	}
	if s.spare != nil {
		err = errors.Join(err, s.remove(s.spare))
	}
	for _, seg := range s.segments {
		seg.closeFile()
	}
	s.active, s.spare = nil, nil
	return errors.Join(err, s.lock.Unlock())
}
