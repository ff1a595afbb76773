// Package disk is the part of a file system that the spool, the journals and the replays use. System is the operating
// system's; tests use internal/simdisk, whose disks fill up, become slow and lose power.
package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"

	"w3host/internal/diskspace"
)

// ErrLocked is returned for a file that somebody else has locked.
var ErrLocked = errors.New("the file is locked")

// Disk is a file system as one process sees it. Its methods do the same as the functions of package os with their
// names, and return the same errors. Implementations are safe for concurrent use.
type Disk interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	CreateTemp(dir, pattern string) (File, error)
	MkdirAll(name string, perm fs.FileMode) error
	ReadDir(name string) ([]fs.DirEntry, error)
	ReadFile(name string) ([]byte, error)
	Lstat(name string) (fs.FileInfo, error)
	Rename(from, to string) error
	Remove(name string) error
	RemoveAll(name string) error
	Getpid() int // the number of the process, for names that no other process uses

	// SyncDir makes the names in a folder survive a power cut.
	SyncDir(name string) error
	// Lock locks a file, which it creates if there is none. The lock ends with the process. It returns ErrLocked without
	// waiting if somebody else has it.
	Lock(name string) (Lock, error)
	// Free returns the free bytes of the disk that contains a folder.
	Free(name string) (free uint64, known bool)
}

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// Lock is a locked file.
type Lock interface{ Unlock() error }

// System is the file system of the operating system.
var System Disk = system{}

type system struct{}

func (system) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (system) CreateTemp(dir, pattern string) (File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (system) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (system) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (system) ReadFile(name string) ([]byte, error)         { return os.ReadFile(name) }
func (system) Lstat(name string) (fs.FileInfo, error)       { return os.Lstat(name) }
func (system) Rename(from, to string) error                 { return os.Rename(from, to) }
func (system) Remove(name string) error                     { return os.Remove(name) }
func (system) RemoveAll(name string) error                  { return os.RemoveAll(name) }
func (system) Getpid() int                                  { return os.Getpid() }

// SyncDir does nothing on Windows: NTFS journals names, and directories cannot be synced.
func (system) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (system) Lock(name string) (Lock, error) {
	lock := flock.New(name)
	held, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !held {
		return nil, ErrLocked
	}
	return lock, nil
}

func (system) Free(name string) (free uint64, known bool) {
	free, _, known = diskspace.Of(name)
	return free, known
}

// Append appends text to a file, which it creates if there is none.
func Append(on Disk, name string, text []byte, perm fs.FileMode) error {
	return write(on, name, text, os.O_CREATE|os.O_APPEND|os.O_WRONLY, perm)
}

// WriteFile is os.WriteFile.
func WriteFile(on Disk, name string, text []byte, perm fs.FileMode) error {
	return write(on, name, text, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, perm)
}

func write(on Disk, name string, text []byte, flag int, perm fs.FileMode) error {
	f, err := on.OpenFile(name, flag, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// TempSuffix ends the names of the files that Replace writes first. A killed process may leave one.
const TempSuffix = ".new"

// Replace replaces a file atomically, so that a crash or a full disk leaves either the old or the new content. With sync
// set the new content is durable before it has the name.
func Replace(on Disk, name string, text []byte, sync bool) error {
	f, err := on.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*"+TempSuffix)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if sync {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = on.Rename(f.Name(), name)
	}
	if err != nil {
		_ = on.Remove(f.Name())
	}
	return err
}

// Names returns the paths of the files in a folder whose names end in suffix, sorted. A folder that cannot be read has none.
func Names(on Disk, dir, suffix string) (paths []string) {
	entries, _ := on.ReadDir(dir)
	for _, e := range entries {
		if ok, _ := filepath.Match("*"+suffix, e.Name()); ok {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}
