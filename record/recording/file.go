package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"w3host/formats/replay"
	"w3host/internal/disk"
)

// file is the replay file of a running game. It is locked, so that another host in the same folder leaves it
// alone.
type file struct {
	disk  disk.Disk
	final string // path once it is complete
	part  string // path while it is written
	f     disk.File
	lock  disk.Lock
	w     *replay.Writer
	fresh bool // it has data that was not flushed
}

// create opens a new replay file. A game rebuilt from its journal gets a different temporary name, since the
// previous process may still be writing its own file.
func create(on disk.Disk, final string, again bool, g replay.Program, s *replay.Start) (*file, error) {
	if err := free(on, final); err != nil {
		return nil, err
	}
	part := partOf(on, final, again)
	f, err := on.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	out := &file{disk: on, final: final, part: part, f: f}
	if out.lock, err = lockPart(on, part); err == nil {
		out.w, err = replay.NewWriter(f, g, s)
	}
	if err != nil {
		out.close()
		return nil, errors.Join(err, on.Remove(part))
	}
	return out, nil
}

// partOf returns the temporary name of a file.
func partOf(on disk.Disk, final string, again bool) string {
	if again {
		return fmt.Sprintf("%s.%d%s", final, on.Getpid(), partSuffix)
	}
	return final + partSuffix
}

// finish completes the file and renames it to its final name.
func (o *file) finish() error {
	err := errors.Join(o.w.Close(), o.close())
	if err == nil {
		err = free(o.disk, o.final)
	}
	if err != nil {
		return err
	}
	if o.part != o.final+partSuffix {
		_ = remove(o.disk, o.final+partSuffix) // file of the previous process, if that has ended
	}
	return o.disk.Rename(o.part, o.final)
}

// size returns the current file size, or 0 if it is unavailable.
func (o *file) size() int64 {
	if stat, err := o.f.Stat(); err == nil {
		return stat.Size()
	}
	return 0
}

// abandon closes a file after a write error and tries to repair it; if that fails, the next start tries
// again.
func (o *file) abandon() {
	o.close()
	_, _ = finish(o.disk, o.part)
}

// leave deletes the file, because another process writes the replay.
func (o *file) leave() { _ = errors.Join(o.close(), o.disk.Remove(o.part)) }

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

// free returns an error if a file with that name exists.
func free(on disk.Disk, name string) error {
	_, err := on.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		err = fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	return err
}

// errWritten is returned for a file that a running host is writing.
var errWritten = errors.New("a running host is writing this file")

// lockPart locks a file that is being written; the lock ends with the process.
func lockPart(on disk.Disk, part string) (disk.Lock, error) {
	lock, err := on.Lock(part)
	if errors.Is(err, disk.ErrLocked) {
		return nil, errWritten
	}
	return lock, err
}

// IsPart reports whether name belongs to an unfinished replay.
func IsPart(name string) bool {
	return strings.HasSuffix(name, partSuffix) && strings.HasSuffix(FinalOf(name), suffix)
}

// FinalOf returns the final name of an unfinished replay; other names are returned unchanged.
func FinalOf(name string) string {
	final, part := strings.CutSuffix(name, partSuffix)
	if own := filepath.Ext(final); part && own != "" && strings.Trim(own[1:], "0123456789") == "" {
		final = strings.TrimSuffix(final, own)
	}
	return final
}

// Finish turns the ".part" file of a killed host into a complete replay with its final name. It keeps
// everything up to the last complete record of the last complete block.
func Finish(part string) (*replay.Repaired, error) { return finish(disk.System, part) }

func finish(on disk.Disk, part string) (*replay.Repaired, error) {
	final := FinalOf(part)
	if err := free(on, final); err != nil {
		return nil, err
	}
	src, err := on.OpenFile(part, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	lock, err := lockPart(on, part)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	// A kill leaves the part, as it was or repaired, and perhaps the temporary file, which the next try replaces.
	temp := part + repairSuffix
	dst, err := on.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	done, err := replay.Repair(src, dst)
	if err = errors.Join(err, dst.Close(), src.Close(), lock.Unlock()); err == nil { // Windows renames no open file
		err = on.Rename(temp, part)
	}
	if err != nil {
		return nil, errors.Join(err, on.Remove(temp))
	}
	return done, on.Rename(part, final)
}
