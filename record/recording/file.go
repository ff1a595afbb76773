package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"w3host/formats/replay"
)

// file is the replay of a game that runs. It is locked, so that another host
// that starts in the same folder leaves it alone.
type file struct {
	final string // its name when it is complete
	f     *os.File
	lock  *flock.Flock
	w     *replay.Writer
	fresh bool // it has been given what is not on the disk
}

func create(final string, g replay.Game, s *replay.Start) (*file, error) {
	if err := free(final); err != nil {
		return nil, err
	}
	part := final + partSuffix
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	out := &file{final: final, f: f}
	if out.lock, err = lockPart(part); err == nil {
		out.w, err = replay.NewWriter(f, g, s)
	}
	if err != nil {
		out.close()
		return nil, errors.Join(err, os.Remove(part))
	}
	return out, nil
}

// finish gives a complete file its name.
func (o *file) finish() error {
	err := errors.Join(o.w.Close(), o.close())
	if err == nil {
		err = free(o.final)
	}
	if err != nil {
		return err
	}
	return os.Rename(o.final+partSuffix, o.final)
}

// abandon closes a file that cannot be written any further, and finishes what is
// in it if that can be done; if not, the next start tries again.
func (o *file) abandon() {
	o.close()
	_, _ = Finish(o.final + partSuffix)
}

func (o *file) close() error {
	var err error
	if o.f != nil {
		err = o.f.Close()
		o.f = nil
	}
	if o.lock != nil {
		err = errors.Join(err, o.lock.Unlock())
		o.lock = nil
	}
	return err
}

// free returns an error if a file has that name.
func free(name string) error {
	_, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		err = fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	return err
}

// errWritten is returned for a file that a running host is writing.
var errWritten = errors.New("a host that runs is writing this file")

// lockPart marks a file as being written; the mark goes with the process.
func lockPart(part string) (*flock.Flock, error) {
	lock := flock.New(part)
	held, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, err
	case !held:
		return nil, errWritten
	}
	return lock, nil
}

// IsPart reports whether a name is that of an unfinished replay.
func IsPart(name string) bool { return strings.HasSuffix(name, suffix+partSuffix) }

// Finish makes a whole replay of the ".part" that a killed host has left: up to
// the last whole record of the last whole block, under the name without
// ".part".
func Finish(part string) (*replay.Repaired, error) {
	final := strings.TrimSuffix(part, partSuffix)
	if err := free(final); err != nil {
		return nil, err
	}
	src, err := os.Open(part)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	lock, err := lockPart(part)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	dst, err := os.CreateTemp(filepath.Dir(part), ".repair-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(dst.Name())
	done, err := replay.Repair(src, dst)
	if err = errors.Join(err, dst.Chmod(0o644), dst.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(dst.Name(), final); err != nil {
		return nil, err
	}
	return done, os.Remove(part)
}
