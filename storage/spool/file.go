package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"w3host/internal/disk"
)

// File is a file of a spool. One goroutine may append while another one syncs.
type File struct {
	Path    string `json:"path"`
	Run     string `json:"run,omitempty"`
	First   uint64 `json:"first"` // number of its first record
	Last    uint64 `json:"last"`
	Records int    `json:"records"`
	Damaged int    `json:"damaged"` // see Contents
	Missing int    `json:"missing"`
	Torn    int    `json:"-"`

	spool *Spool

	size   atomic.Int64
	mu     sync.Mutex
	file   disk.File // open while it is being written
	closed bool
}

// Create creates a new file.
func (s *Spool) Create() (*File, error) {
	if s.lock == nil {
		if err := s.begin(); err != nil {
			return nil, fmt.Errorf("begin the spool: %w", err)
		}
	}
	path := s.path(s.number.Add(1))
	f, err := s.disk.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("begin a spool file: %w", err)
	}
	s.newName.Store(true)
	return &File{Path: path, spool: s, file: f}, nil
}

// load examines a file that an earlier run left behind.
func (s *Spool) load(path string) (*File, error) {
	f := &File{Path: path, spool: s}
	c, err := f.Read()
	if err != nil {
		return nil, err
	}
	f.Damaged, f.Missing, f.Torn = c.Damaged, c.Missing, c.Torn
	for _, l := range c.Lines {
		switch f.Run {
		case "":
			f.Run, f.First = l.Run, l.Seq
			fallthrough
		case l.Run:
			f.Last = l.Seq
			f.Records++
		default:
			f.Damaged++ // a file must contain a single run
		}
	}
	return f, nil
}

// Append appends lines. After an error none of them counts as written, and the same lines may be appended
// again.
func (f *File) Append(lines []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.file.WriteAt(lines, f.size.Load()); err != nil {
		_ = f.file.Truncate(f.size.Load()) // release the space; leftover bytes would be overwritten or recognised as torn
		return fmt.Errorf("write the spool: %w", err)
	}
	f.size.Add(int64(len(lines)))
	return nil
}

// Size returns the length in bytes.
func (f *File) Size() int64 { return f.size.Load() }

// Sync makes appended records survive a power cut. It ignores files that were removed meanwhile.
func (f *File) Sync() error {
	if f.file == nil {
		return nil
	}
	if err := f.file.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("sync the spool: %w", err)
	}
	if f.spool.newName.CompareAndSwap(true, false) {
		return f.spool.syncDir()
	}
	return nil
}

// Read returns the intact records of the file.
func (f *File) Read() (Contents, error) {
	data, err := f.spool.disk.ReadFile(f.Path)
	if err != nil {
		return Contents{}, fmt.Errorf("read the spool: %w", err)
	}
	f.size.Store(int64(len(data)))
	return Parse(data), nil
}

// Remove deletes the file, or moves it to the quarantine if it is damaged.
func (f *File) Remove() error {
	f.close()
	if f.Damaged+f.Missing > 0 {
		return f.spool.quarantine(f.Path)
	}
	if err := f.spool.disk.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete a finished spool file: %w", err)
	}
	return nil
}

// close closes the file without deleting it.
func (f *File) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil && !f.closed {
		f.closed = true
		_ = f.file.Close() // cannot lose data: everything was written and synced before
	}
}

// quarantine moves a file to the quarantine folder.
func (s *Spool) quarantine(path string) error {
	dir := filepath.Join(filepath.Dir(path), Quarantine)
	err := s.disk.MkdirAll(dir, 0o750)
	if err == nil {
		err = s.disk.Rename(path, filepath.Join(dir, filepath.Base(path)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put a damaged spool file aside: %w", err)
	}
	return nil
}
