package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// File is one file of a spool. One goroutine may append while another syncs.
type File struct {
	Path    string `json:"path"`
	Run     string `json:"run,omitempty"`
	First   uint64 `json:"first"` // numbers of its records
	Last    uint64 `json:"last"`
	Records int    `json:"records"`
	Damaged int    `json:"damaged"` // see Contents
	Missing int    `json:"missing"`
	Torn    int    `json:"-"`

	spool *Spool

	mu     sync.Mutex
	file   *os.File // open while it is written to
	size   int64
	closed bool
}

// Create begins a file.
func (s *Spool) Create() (*File, error) {
	path := s.path(s.number.Add(1))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("begin a spool file: %w", err)
	}
	s.newName.Store(true)
	return &File{Path: path, spool: s, file: f}, nil
}

// load looks through a file that an earlier run left.
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
			f.Damaged++ // a file has one run
		}
	}
	return f, nil
}

// Append writes lines at the end. After an error nothing of them counts as
// written, and the same lines may be appended again.
func (f *File) Append(lines []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.file.WriteAt(lines, f.size); err != nil {
		_ = f.file.Truncate(f.size) // give the space back; a rest would be overwritten, or found torn
		return fmt.Errorf("write the spool: %w", err)
	}
	f.size += int64(len(lines))
	return nil
}

// Size is the length in bytes.
func (f *File) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}

// Sync makes appended records survive a power cut. A file that was removed
// meanwhile is not needed.
func (f *File) Sync() error {
	if f.file == nil {
		return nil
	}
	if err := f.file.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("sync the spool: %w", err)
	}
	if f.spool.newName.CompareAndSwap(true, false) {
		return syncDir(f.spool.dir)
	}
	return nil
}

// Read returns the whole records of the file.
func (f *File) Read() (Contents, error) {
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return Contents{}, fmt.Errorf("read the spool: %w", err)
	}
	f.mu.Lock()
	f.size = int64(len(data))
	f.mu.Unlock()
	return Parse(data), nil
}

// Remove deletes the file, or puts it aside when it is damaged.
func (f *File) Remove() error {
	f.close()
	if f.Damaged+f.Missing > 0 {
		return putAside(f.Path)
	}
	if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete a finished spool file: %w", err)
	}
	return nil
}

// close leaves the file on disk.
func (f *File) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil && !f.closed {
		f.closed = true
		_ = f.file.Close() // written and synced before; nothing is left to fail
	}
}

// putAside moves a file to the quarantine beside it.
func putAside(path string) error {
	dir := filepath.Join(filepath.Dir(path), Quarantine)
	err := os.MkdirAll(dir, 0o750)
	if err == nil {
		err = os.Rename(path, filepath.Join(dir, filepath.Base(path)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put a damaged spool file aside: %w", err)
	}
	return nil
}
