package recording

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"w3host/formats/replay"
	"w3host/internal/disk"
)

// rescue completes the files that a killed host left behind. It skips files that another host is writing and
// files that contain no replay.
func (a *Archive) rescue() {
	parts, _ := a.opts.Disk.ReadDir(a.opts.Dir)
	for _, e := range parts {
		if part, ok := strings.CutSuffix(e.Name(), repairSuffix); ok && free(a.opts.Disk, filepath.Join(a.opts.Dir, part)) == nil {
			_ = a.opts.Disk.Remove(filepath.Join(a.opts.Dir, e.Name())) // its process was killed, and the replay was continued
		}
		if !IsPart(e.Name()) {
			continue
		}
		part := filepath.Join(a.opts.Dir, e.Name())
		if slices.Contains(a.opts.GoOn, FinalOf(e.Name())) {
			if err := remove(a.opts.Disk, part); err != nil && !errors.Is(err, errWritten) {
				a.opts.Log.Warn().Err(err).Str("file", part).Msg("cannot rewrite the replay of a continued game")
			}
			continue
		}
		done, err := finish(a.opts.Disk, part)
		switch {
		case errors.Is(err, errWritten):
		case errors.Is(err, fs.ErrExist) && part != FinalOf(part)+partSuffix: // another process has already written the whole replay
			_ = remove(a.opts.Disk, part)
		case errors.Is(err, replay.ErrNotReplay) && empty(a.opts.Disk, part):
			_ = a.opts.Disk.Remove(part) // created but never written
		case err != nil:
			a.opts.Log.Warn().Err(err).Str("file", part).Msg("cannot finish a replay left by a killed host")
		default:
			if done.Kept < leastPlayed {
				a.noteMinor(FinalOf(e.Name()))
			}
			a.opts.Log.Info().Str("file", FinalOf(part)).Dur("played", done.Kept).
				Msg("finished a replay left by a killed host")
		}
	}
}

// remove deletes a file, unless a running host is writing it.
func remove(on disk.Disk, part string) error {
	if _, err := on.Lstat(part); err != nil {
		return err
	}
	lock, err := lockPart(on, part)
	if err != nil {
		return err
	}
	return errors.Join(on.Remove(part), lock.Unlock())
}

func empty(on disk.Disk, name string) bool {
	stat, err := on.Lstat(name)
	return err == nil && stat.Size() == 0
}
