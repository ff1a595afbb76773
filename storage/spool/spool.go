// Package spool keeps records on disk until the database has them. It knows
// nothing of the contents of the records.
//
// A spool is a folder of files 0000000001.jsonl, 0000000002.jsonl … that only
// grow. Each record is a line of JSON, so that a text editor reads and mends it:
//
//	{"crc":"5f3a09bc","run":"0193…","seq":17,"type":"ChatLine","record":{…}}
//
// crc is the CRC-32C of all that follows its comma, up to the last brace, in 8
// hex digits; a person who changes a line writes "edited" instead. Open
// skips a line that is not whole, and keeps its file in the folder quarantine.
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

	"github.com/gofrs/flock"
)

const (
	// Quarantine is the folder of damaged files, inside the spool.
	Quarantine = "quarantine"
	// Apart begins the names of folders inside, of processes that have let the spool go
	// and still had something to record.
	Apart = "apart-"

	suffix   = ".jsonl"
	lockName = "lock"
)

// ErrInUse: another process has the folder.
var ErrInUse = errors.New("in use by another running w3host")

// Spool is one folder, owned by one process.
type Spool struct {
	dir     string
	lock    *flock.Flock
	number  atomic.Uint64 // of the newest file
	newName atomic.Bool   // the folder itself wants a sync
}

// Left lists the files that earlier runs left in the folder.
type Left struct {
	Files  []*File  // with records, by run and number
	Faults []string // files that can't be read, or were put aside at once
}

// Open locks the folder, which it creates when missing, and returns the files to
// replay.
func Open(dir string) (*Spool, Left, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, Left{}, fmt.Errorf("create the spool directory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockName))
	held, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, Left{}, fmt.Errorf("open the spool: %w", err)
	case !held:
		return nil, Left{}, fmt.Errorf("the spool in %s is %w: give each host its own data directory", dir, ErrInUse)
	}
	s := &Spool{dir: dir, lock: lock}
	err = s.takeApart()
	left := Left{}
	if err == nil {
		left, err = s.scan()
	}
	if err != nil {
		return nil, left, errors.Join(err, lock.Unlock())
	}
	return s, left, nil
}

// Inspect returns the files of a folder, and those in its quarantine, also while a
// host runs that owns it.
func Inspect(dir string) (files, aside []*File, err error) {
	s := &Spool{dir: dir}
	files, aside = []*File{}, []*File{}
	paths, err := s.list(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		f, err := s.load(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // the host was faster
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
	return (&File{Path: path}).Read()
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
		case f.Records == 0:
			if err := f.Remove(); err != nil {
				left.Faults = append(left.Faults, err.Error())
			} else if f.Damaged > 0 {
				left.Faults = append(left.Faults, f.Path+": nothing in it is whole; it is in "+Quarantine)
			}
		default:
			left.Files = append(left.Files, f)
		}
	}
	// After a failed sync records were written again, to a later file.
	slices.SortStableFunc(left.Files, func(a, b *File) int {
		return cmp.Or(strings.Compare(a.Run, b.Run), cmp.Compare(a.First, b.First))
	})
	return left, nil
}

// takeApart takes the files of processes that used a folder beside this spool and have
// ended before the database had all of it, and those that they have put aside.
func (s *Spool) takeApart() error {
	if _, err := s.list(s.dir); err != nil {
		return err
	}
	folders, _ := filepath.Glob(filepath.Join(s.dir, Apart+"*"))
	for _, folder := range folders {
		lock := flock.New(filepath.Join(folder, lockName))
		if held, err := lock.TryLock(); err != nil || !held {
			continue // it is still written to
		}
		err := errors.Join(s.take(folder, s.dir), s.take(filepath.Join(folder, Quarantine), filepath.Join(s.dir, Quarantine)))
		if err == nil {
			err = os.RemoveAll(folder)
		}
		if err = errors.Join(err, lock.Unlock()); err != nil {
			return fmt.Errorf("the spool of an earlier process, %s: %w", folder, err)
		}
	}
	return nil
}

// take moves the files of a folder to another one, under new numbers.
func (s *Spool) take(from, to string) error {
	paths, err := filepath.Glob(filepath.Join(from, "*"+suffix))
	if len(paths) > 0 {
		err = errors.Join(err, os.MkdirAll(to, 0o750))
	}
	for _, path := range paths {
		err = errors.Join(err, os.Rename(path, filepath.Join(to, filepath.Base(s.path(s.number.Add(1))))))
	}
	return err
}

// RemoveApart removes a folder beside a spool that has nothing to replay, unless files were
// put aside in it: the next process that opens the spool takes those.
func RemoveApart(dir string) error {
	if aside, err := filepath.Glob(filepath.Join(dir, Quarantine, "*"+suffix)); len(aside) > 0 || err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// list gives the files of the spool and of its quarantine, and notes the
// highest number: no two files ever share a name.
func (s *Spool) list(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
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

// Close lets the folder go.
func (s *Spool) Close() error { return s.lock.Unlock() }
