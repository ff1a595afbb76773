package recording

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stored is a file of the folder: a replay, or the part of one.
type stored struct {
	name  string
	size  int64
	at    time.Time
	minor bool // it goes before those that are not
}

// prune removes replays, as far as the options say so: those that are too old, and then, while all take too much, the
// oldest minor ones and parts before the oldest of the others. Parts that somebody writes stay. Names of
// removed files stay taken: the game log may still hold them.
func (a *Archive) prune(now time.Time) {
	if a.opts.KeepFor == 0 && a.opts.KeepBytes == 0 {
		return
	}
	files, total, err := a.list()
	if err != nil {
		a.opts.Log.Warn().Err(err).Msg("cannot list old replays")
		return
	}
	removed := 0
	var fault error
	for _, f := range files {
		old := a.opts.KeepFor > 0 && now.Sub(f.at) > a.opts.KeepFor
		much := a.opts.KeepBytes > 0 && total > a.opts.KeepBytes
		if !old && !much {
			continue
		}
		switch err := a.discard(f.name); {
		case err == nil:
			total -= f.size
			removed++
		case !errors.Is(err, errWritten) && !errors.Is(err, fs.ErrNotExist):
			fault = cmp.Or(fault, err)
		}
	}
	if fault != nil {
		a.opts.Log.Warn().Err(fault).Msg("cannot remove an old replay")
	}
	if removed > 0 {
		a.opts.Log.Info().Int("files", removed).Msg("removed old replays")
	}
}

// list returns the replays and parts in the order in which they go, and how much they take together.
func (a *Archive) list() (files []stored, total int64, err error) {
	entries, err := os.ReadDir(a.opts.Dir)
	if err != nil {
		return nil, 0, err
	}
	minor, left := a.minorNames(), map[string]bool{}
	for _, e := range entries {
		part := IsPart(e.Name())
		if !part && !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if stat, err := e.Info(); err == nil && stat.Mode().IsRegular() {
			f := stored{e.Name(), stat.Size(), stat.ModTime(), part || minor[e.Name()]}
			files = append(files, f)
			total += f.size
			left[f.name] = true
		}
	}
	slices.SortFunc(files, func(a, b stored) int {
		if a.minor != b.minor {
			if a.minor {
				return -1
			}
			return 1
		}
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.name, b.name))
	})
	a.forgetMinor(minor, left)
	return files, total, nil
}

// discard removes a file, unless it is a part that somebody writes.
func (a *Archive) discard(name string) error {
	path := filepath.Join(a.opts.Dir, name)
	if IsPart(name) {
		return remove(path)
	}
	return os.Remove(path)
}

// minorFile names the minor replays of the folder, one on each line.
const minorFile = ".minor"

// noteMinor notes that a replay is minor. Without the note, it counts as any other.
func (a *Archive) noteMinor(name string) {
	f, err := os.OpenFile(filepath.Join(a.opts.Dir, minorFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(name + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		a.opts.Log.Warn().Err(err).Str("file", name).Msg("cannot note that a replay is of a short or one-sided game")
	}
}

func (a *Archive) minorNames() map[string]bool {
	text, _ := os.ReadFile(filepath.Join(a.opts.Dir, minorFile))
	names := map[string]bool{}
	for name := range strings.Lines(string(text)) {
		names[strings.TrimSuffix(name, "\n")] = true
	}
	return names
}

// forgetMinor removes the notes of files that are gone, once they are many.
func (a *Archive) forgetMinor(noted, left map[string]bool) {
	var keep strings.Builder
	gone := 0
	for name := range noted {
		if left[name] {
			keep.WriteString(name + "\n")
		} else {
			gone++
		}
	}
	if gone < 100 || gone < len(noted)/2 {
		return
	}
	path := filepath.Join(a.opts.Dir, minorFile)
	if err := os.WriteFile(path+".new", []byte(keep.String()), 0o644); err == nil {
		_ = os.Rename(path+".new", path) // it is tried again
	}
}
