// Package spool keeps records on disk until the database has them. Spool is the folder of one process, File a
// file in it, and Line a record. Only package storage and the `w3host db spool` commands use it. It does not
// know the contents of records.
//
// A spool is a folder of files 0000000001.jsonl, 0000000002.jsonl and so on, which are only appended to. Each
// record is a line of JSON, so it can be read and fixed with a text editor:
//
//	{"crc":"5f3a09bc","run":"0193…","seq":17,"type":"ChatLine","record":{…}}
//
// crc is the CRC-32C, in 8 hex digits, of everything after its comma up to the last brace. A person who
// changes a line writes "edited" instead. Open skips damaged lines and keeps their file in the folder
// quarantine.
package spool

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"w3host/internal/disk"
)

const (
	// Quarantine is the subfolder for damaged files.
	Quarantine = "quarantine"
	// DetachedPrefix is the name prefix of subfolders for processes that have handed over the spool but still had
	// records.
	DetachedPrefix = "apart-"

	suffix   = ".jsonl"
	lockName = "lock"
)

// ErrInUse is returned if another process uses the folder.
var ErrInUse = errors.New("in use by another running w3host")

// Spool is a folder owned by one process.
type Spool struct {
	disk    disk.Disk
	dir     string
	lock    disk.Lock     // nil until it is open; used by one goroutine
	number  atomic.Uint64 // number of the newest file
	newName atomic.Bool   // the folder itself must be synced
}

// Left describes what earlier runs left in the folder.
type Left struct {
	Files  []*File  // sorted by run and number; those without records are only to be removed
	Faults []string // files that cannot be read or contain no record
}

// Open creates the folder if necessary, locks it and returns the files to replay. It returns ErrInUse if
// another process has it.
func Open(on disk.Disk, dir string) (*Spool, Left, error) {
	if err := on.MkdirAll(dir, 0o750); err != nil {
		return nil, Left{}, fmt.Errorf("create the spool directory: %w", err)
	}
	lock, err := on.Lock(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, disk.ErrLocked):
		return nil, Left{}, fmt.Errorf("the spool in %s is %w: give each host its own data directory", dir, ErrInUse)
	case err != nil:
		return nil, Left{}, fmt.Errorf("open the spool: %w", err)
	}
	s := &Spool{disk: on, dir: dir, lock: lock}
	err = s.takeDetached()
	left := Left{}
	if err == nil {
		left, err = s.scan()
	}
	if err != nil {
		return nil, left, errors.Join(err, lock.Unlock())
	}
	return s, left, nil
}

// Later returns a spool in a new folder, which is created with the first file. Until then the disk is not used.
func Later(on disk.Disk, dir string) *Spool { return &Spool{disk: on, dir: dir} }

// begin creates the folder of a spool that Later has returned.
func (s *Spool) begin() error {
	err := s.disk.MkdirAll(s.dir, 0o750)
	if err == nil {
		s.lock, err = s.disk.Lock(filepath.Join(s.dir, lockName))
	}
	return err
}

// Inspect returns the files of a folder and those in its quarantine. The host that owns it may be running.
func Inspect(dir string) (files, aside []*File, err error) {
	s := &Spool{disk: disk.System, dir: dir}
	files, aside = []*File{}, []*File{}
	paths, err := s.list(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		f, err := s.load(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed by the running host
		}
		if err != nil {
			return nil, nil, err
		}
		if filepath.Base(filepath.Dir(path)) == Quarantine {
			aside = append(aside, f)
		} else {
			files = append(files, f)
		}
	}
	return files, aside, nil
}

// ReadFile reads any file of such lines.
func ReadFile(path string) (Contents, error) {
	return (&File{Path: path, spool: &Spool{disk: disk.System}}).Read()
}

func (s *Spool) scan() (left Left, err error) {
	paths, err := s.list(s.dir)
	if err != nil {
		return left, err
	}
	for _, path := range paths {
		if filepath.Base(filepath.Dir(path)) == Quarantine {
			continue
		}
		f, err := s.load(path)
		switch {
		case err != nil:
			left.Faults = append(left.Faults, err.Error())
		default:
			if f.Records == 0 && f.Damaged > 0 {
				left.Faults = append(left.Faults, f.Path+": nothing in it is whole; it moves to "+Quarantine)
			}
			left.Files = append(left.Files, f)
		}
	}
	// After a failed sync, records were written again to a later file.
	slices.SortStableFunc(left.Files, func(a, b *File) int {
		return cmp.Or(strings.Compare(a.Run, b.Run), cmp.Compare(a.First, b.First))
	})
	return left, nil
}

// RemoveTemporary deletes files that a killed process was about to rename. Failures are tried again at the next start.
func (s *Spool) RemoveTemporary() {
	for _, path := range disk.Names(s.disk, s.dir, disk.TempSuffix) {
		_ = s.disk.Remove(path)
	}
}

// takeDetached moves the files of ended processes from their subfolders into this spool.
func (s *Spool) takeDetached() error {
	if _, err := s.list(s.dir); err != nil {
		return err
	}
	for _, folder := range disk.Names(s.disk, s.dir, "") {
		if !strings.HasPrefix(filepath.Base(folder), DetachedPrefix) {
			continue
		}
		lock, err := s.disk.Lock(filepath.Join(folder, lockName))
		if err != nil {
			continue // still in use
		}
		err = errors.Join(s.take(folder, s.dir), s.take(filepath.Join(folder, Quarantine), filepath.Join(s.dir, Quarantine)))
		if err == nil {
			err = s.disk.RemoveAll(folder)
		}
		if err = errors.Join(err, lock.Unlock()); err != nil {
			return fmt.Errorf("the spool of an earlier process, %s: %w", folder, err)
		}
	}
	return nil
}

// take moves the files of one folder to another under new numbers.
func (s *Spool) take(from, to string) (err error) {
	paths := disk.Names(s.disk, from, suffix)
	if len(paths) > 0 {
		err = s.disk.MkdirAll(to, 0o750)
	}
	for _, path := range paths {
		err = errors.Join(err, s.disk.Rename(path, filepath.Join(to, filepath.Base(s.path(s.number.Add(1))))))
	}
	return err
}

// RemoveDetached removes a subfolder without records to replay. If it has quarantined files, it stays, and the
// next Open moves them.
func RemoveDetached(on disk.Disk, dir string) error {
	if aside := disk.Names(on, filepath.Join(dir, Quarantine), suffix); len(aside) > 0 {
		return nil
	}
	return on.RemoveAll(dir)
}

// list returns the files of the spool and its quarantine, and remembers the highest number, so that no two
// files ever share a name.
func (s *Spool) list(dir string) (paths []string, err error) {
	entries, err := s.disk.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() == Quarantine {
			more, err := s.list(filepath.Join(dir, Quarantine))
			if err != nil {
				return nil, err
			}
			paths = append(paths, more...)
		}
		number, found := strings.CutSuffix(e.Name(), suffix)
		n, err := strconv.ParseUint(number, 10, 64)
		if found && err == nil {
			paths = append(paths, filepath.Join(dir, e.Name()))
			s.number.Store(max(s.number.Load(), n))
		}
	}
	return paths, nil
}

func (s *Spool) path(n uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf("%010d%s", n, suffix))
}

// Close unlocks the folder.
func (s *Spool) Close() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Unlock()
}
