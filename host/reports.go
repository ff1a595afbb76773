package host

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// crashTime is the layout of the time in the name of a report.
const crashTime = "20060102-150405.000000"

// saveCrash has a report of a crash written, and returns its name. The
// disk may take its time: no game waits for it.
func (s *shard) saveCrash(who, what string, stack []byte, state string) string {
	now := time.Now()
	text := fmt.Sprintf("%s\n%s\n%s\n\n%s\n%s", s.opts.Game.Program, now.Format(time.RFC3339Nano), what, state, stack)
	if s.opts.Crashes == "" {
		return "no folder is set for it"
	}
	file := filepath.Join(s.opts.Crashes, fmt.Sprintf("%s-%s.txt", who, now.UTC().Format(crashTime)))
	s.writing.Go(func() { // ends with the file
		err := os.MkdirAll(s.opts.Crashes, 0o755)
		if err = cmp.Or(err, os.WriteFile(file, []byte(text), 0o600)); err != nil {
			s.log.Error().Err(err).Str("file", file).Msg("cannot write the crash report")
		}
		s.thinCrashes()
	})
	return file
}

// keptCrashes is how many reports of crashes are kept, the newest: a fault that somebody
// can cause again and again must not fill the disk, and more of it tell nothing new.
const keptCrashes = 100

// thinCrashes removes the oldest reports of crashes. Hosts may share the folder.
func (s *shard) thinCrashes() {
	files, _ := fs.Glob(os.DirFS(s.opts.Crashes), "*.txt") // that it cannot be written to was logged
	when := func(file string) string {                     // the name ends with the time, in digits of one width
		return file[max(0, len(file)-len(crashTime+".txt")):]
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(when(a), when(b)) })
	for _, file := range files[:max(0, len(files)-keptCrashes)] {
		if err := os.Remove(filepath.Join(s.opts.Crashes, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn().Err(err).Str("file", file).Msg("cannot remove an old crash report")
		}
	}
}
