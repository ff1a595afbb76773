package recording

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"w3host/formats/replay"
)

// rescue finishes the files that a killed host has left. Files that another host writes
// are left alone, and so are those that hold no replay.
func (a *Archive) rescue() {
	parts, _ := os.ReadDir(a.opts.Dir)
	for _, e := range parts {
		if !IsPart(e.Name()) {
			continue
		}
		part := filepath.Join(a.opts.Dir, e.Name())
		if slices.Contains(a.opts.GoOn, FinalOf(e.Name())) {
			if err := remove(part); err != nil && !errors.Is(err, errWritten) {
				a.opts.Log.Warn().Err(err).Str("file", part).Msg("cannot write the replay of a game that goes on")
			}
			continue
		}
		done, err := Finish(part)
		switch {
		case errors.Is(err, errWritten):
		case errors.Is(err, fs.ErrExist) && part != FinalOf(part)+partSuffix: // a later process has written all of it
			_ = remove(part)
		case errors.Is(err, replay.ErrNotReplay) && empty(part):
			_ = os.Remove(part) // made, and never written to
		case err != nil:
			a.opts.Log.Warn().Err(err).Str("file", part).Msg("cannot finish a replay left by a killed host")
		default:
			a.opts.Log.Info().Str("file", FinalOf(part)).Dur("played", done.Kept).
				Msg("finished a replay left by a killed host")
		}
	}
}

// remove removes a file that nobody writes.
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

// prune removes the oldest replays, as far as the options say so. Names of
// removed files stay taken: the game log may still hold them.
func (a *Archive) prune(now time.Time) {
	if a.opts.KeepFor == 0 && a.opts.KeepBytes == 0 {
		return
	}
	entries, err := os.ReadDir(a.opts.Dir)
	if err != nil {
		a.opts.Log.Warn().Err(err).Msg("cannot list old replays")
		return
	}
	var files []fs.FileInfo
	var total int64
	for _, e := range entries {
		if stat, err := e.Info(); err == nil && stat.Mode().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
			files = append(files, stat)
			total += stat.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	removed := 0
	for _, f := range files {
		old := a.opts.KeepFor > 0 && now.Sub(f.ModTime()) > a.opts.KeepFor
		much := a.opts.KeepBytes > 0 && total > a.opts.KeepBytes
		if !old && !much {
			break
		}
		if err := os.Remove(filepath.Join(a.opts.Dir, f.Name())); err != nil {
			a.opts.Log.Warn().Err(err).Msg("cannot remove an old replay")
			break
		}
		total -= f.Size()
		removed++
	}
	if removed > 0 {
		a.opts.Log.Info().Int("files", removed).Msg("removed old replays")
	}
}
