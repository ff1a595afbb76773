package recording

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"w3host/formats/replay"
)

// rescue completes the files that a killed host left behind. It skips files that another host is writing and
// files that contain no replay.
func (a *Archive) rescue() {
	parts, _ := os.ReadDir(a.opts.Dir)
	for _, e := range parts {
		if !IsPart(e.Name()) {
			continue
		}
		part := filepath.Join(a.opts.Dir, e.Name())
		if slices.Contains(a.opts.GoOn, FinalOf(e.Name())) {
			if err := remove(part); err != nil && !errors.Is(err, errWritten) {
				a.opts.Log.Warn().Err(err).Str("file", part).Msg("cannot rewrite the replay of a continued game")
			}
			continue
		}
		done, err := Finish(part)
		switch {
		case errors.Is(err, errWritten):
		case errors.Is(err, fs.ErrExist) && part != FinalOf(part)+partSuffix: // another process has already written the whole replay
			_ = remove(part)
		case errors.Is(err, replay.ErrNotReplay) && empty(part):
			_ = os.Remove(part) // created but never written
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
func remove(part string) error {
	if _, err := os.Stat(part); err != nil {
		return err
	}
	lock, err := lockPart(part)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(part), lock.Unlock())
}

func empty(name string) bool {
	stat, err := os.Stat(name)
	return err == nil && stat.Size() == 0
}
