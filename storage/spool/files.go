package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// begin makes a file the active one, with the lock held.
func (s *Spool) begin() (err error) {
	a := s.spare
	if s.spare = nil; a == nil {
		if a, err = s.create(); err != nil {
			return err
		}
	}
	s.active, s.begun = a, a.number
	s.segments = append(s.segments, a)
	s.newFile = true
	return nil
}

// create makes the next file.
func (s *Spool) create() (*segment, error) {
	n := s.number.Add(1)
	path := s.path(n)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o640)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(encodeHeader(s.run)); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return &segment{path: path, number: n, run: s.run, file: f, size: segmentHeader}, nil
}

// makeSpare makes the file after the active one, letting go of the lock.
func (s *Spool) makeSpare() {
	s.mu.Unlock()
	spare, err := s.create()
	s.mu.Lock()
	switch {
	case err != nil: // Append will try again, and say so
	case s.begun > spare.number:
		// The active one was full already. Files are read back in the order of
		// their numbers, so this one comes too late.
		_ = s.remove(spare)
	default:
		s.spare = spare
	}
}

// retire ends the active segment. Its file closes with the next sync.
func (s *Spool) retire() {
	a := s.active
	s.active = nil
	a.closing = true
	if a.pending == 0 {
		_ = s.remove(a) // a file that stays is found again at the next start
	} else if !a.dirty {
		a.closeFile()
	}
}

func (s *Spool) remove(seg *segment) error {
	seg.closeFile()
	s.segments = slices.DeleteFunc(s.segments, func(other *segment) bool { return other == seg })
	if err := os.Remove(seg.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete a finished spool file: %w", err)
	}
	return nil
}

func (s *Spool) path(n uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf("%010d%s", n, suffix))
}

func (seg *segment) closeFile() {
	if seg.file != nil {
		_ = seg.file.Close() // written and synced before; nothing is left to fail
		seg.file = nil
	}
}
