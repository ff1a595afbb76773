package recording

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"w3host/internal/disk"
)

// stored is a replay or unfinished replay in the folder.
type stored struct {
	name  string
	size  int64
	at    time.Time
	minor bool // deleted before files that are not minor
}

// prune deletes replays that are too old, and, while the total size exceeds the limit, first the oldest minor
// and unfinished ones, then the oldest others. It skips unfinished files that a running host is writing.
// Names of deleted files stay reserved, because the game log may still mention them.
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

// list returns all replays and unfinished replays in the order of deletion, and their total size.
func (a *Archive) list() (files []stored, total int64, err error) {
	entries, err := a.opts.Disk.ReadDir(a.opts.Dir)
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

// discard deletes a file, unless a running host is writing it.
func (a *Archive) discard(name string) error {
	path := filepath.Join(a.opts.Dir, name)
	if IsPart(name) {
		return remove(a.opts.Disk, path)
	}
	return a.opts.Disk.Remove(path)
}

// minorFile lists the replays of short and one-sided games, one name per line. They are deleted
// first.
const minorFile = ".minor"

// noteMinor adds a replay to the list of minor ones.
func (a *Archive) noteMinor(name string) {
	if err := disk.Append(a.opts.Disk, filepath.Join(a.opts.Dir, minorFile), []byte(name+"\n"), 0o644); err != nil {
		a.opts.Log.Warn().Err(err).Str("file", name).Msg("cannot note that a replay is of a short or one-sided game")
	}
}

func (a *Archive) minorNames() map[string]bool {
	text, _ := a.opts.Disk.ReadFile(filepath.Join(a.opts.Dir, minorFile))
	names := map[string]bool{}
	for name := range strings.Lines(string(text)) {
		names[strings.TrimSuffix(name, "\n")] = true
	}
	return names
}

// forgetMinor removes names of deleted files from the list, once there are many.
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
	if err := disk.WriteFile(a.opts.Disk, path+".new", []byte(keep.String()), 0o644); err == nil {
		_ = a.opts.Disk.Rename(path+".new", path) // a failure is retried at the next prune
	}
}
