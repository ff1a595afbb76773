package journal

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/diskspace"
)

// bounds limits what journals take. A journal that does not fit is given up, and its game goes on.
type bounds struct {
	waiting int64  // bytes of all games that wait for the disk
	file    int64  // bytes of one file, compressed
	files   int    // files in the folder that are kept
	folder  int64  // bytes of all files in the folder
	free    uint64 // bytes that stay free on the disk
}

var usual = bounds{waiting: 32 << 20, file: 16 << 20, files: 100, folder: 1 << 30, free: 1 << 30}

const (
	// jobsWaiting is how many blocks of all games wait for the disk at most.
	jobsWaiting = 2048
	// sparesKept is how many blocks are kept for the next use.
	sparesKept = 64
	// spaceEvery is how often the free space of the disk is asked for.
	spaceEvery = time.Second
	suffix     = ".journal.gz"
	partSuffix = ".part"
)

// file is that of one journal.
type file struct {
	name string
	lost atomic.Bool // it is given up: nothing more is written

	// Of the goroutine of Files.
	begun   bool
	removed bool
	size    int64
}

// job is a block of a journal for the disk.
type job struct {
	file      *file
	data      []byte
	end, keep bool
}

// Files writes the journals of all games. Those under way have names that end
// in .part: a file that a killed host leaves behind can be run again, up to where it
// was cut.
type Files struct {
	opts    Options
	bounds  bounds
	space   func(dir string) (free uint64, known bool)
	log     zerolog.Logger
	jobs    chan job
	waiting atomic.Int64 // bytes in jobs
	closed  atomic.Bool
	quit    chan struct{}
	done    chan struct{}
	close   func()
	spare   chan []byte // blocks to use again

	// Of the goroutine.
	zip     *gzip.Writer // of all files: each block is a member of its own
	kept    int64        // bytes of the files that are kept
	parts   int64        // bytes of the files under way
	askedAt time.Time    // for the free space
	full    error        // the disk has too little of it; nil: it has not
}

// Open begins to write journals, and keeps those that a killed host has left, except
// those of games that go on. It returns nil if no folder is set.
func Open(opts Options, log zerolog.Logger, goOn ...string) *Files {
	if opts.Dir == "" {
		return nil
	}
	f := newFiles(opts, log)
	f.rescue(goOn)
	f.prune()
	go f.run() // ends with Close
	return f
}

func newFiles(opts Options, log zerolog.Logger) *Files {
	f := &Files{
		opts: opts, bounds: usual, log: log,
		space: func(dir string) (uint64, bool) { free, _, known := diskspace.Of(dir); return free, known },
		jobs:  make(chan job, jobsWaiting), quit: make(chan struct{}), done: make(chan struct{}), spare: make(chan []byte, sparesKept),
	}
	f.close = sync.OnceFunc(func() { f.closed.Store(true); close(f.quit) })
	f.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that exists
	return f
}

func (f *Files) keepsAll() bool { return f != nil && f.opts.KeepAll }

func (f *Files) block() []byte {
	select {
	case b := <-f.spare:
		return b
	default:
		return make([]byte, 0, blockSize+512)
	}
}

// put has a block written. It does not wait; false: too much waits already, or Close was called.
func (f *Files) put(j job) bool {
	n := int64(len(j.data))
	if f.closed.Load() || f.waiting.Add(n) > f.bounds.waiting {
		f.waiting.Add(-n)
		return false
	}
	select {
	case f.jobs <- j:
		return true
	default:
		f.waiting.Add(-n)
		return false
	}
}

// awaitEvery is how often Await looks.
const awaitEvery = 10 * time.Millisecond

// Await returns when so many bytes can be put, or after a time. Whoever has a whole journal to write waits here first,
// so that the journals of many games that go on in this process do not give each other up.
func (f *Files) Await(n int, within time.Duration) {
	if f == nil {
		return
	}
	for began := time.Now(); f.waiting.Load()+int64(n) > f.bounds.waiting && !f.closed.Load() && time.Since(began) < within; time.Sleep(awaitEvery) {
	}
}

// rescue keeps the journals of a killed host: their end is missing, but the rest can
// be run.
func (f *Files) rescue(goOn []string) {
	parts, _ := filepath.Glob(filepath.Join(f.opts.Dir, "*"+partSuffix))
	for _, part := range parts {
		if slices.Contains(goOn, strings.TrimSuffix(filepath.Base(part), partSuffix)) {
			continue
		}
		if err := os.Rename(part, strings.TrimSuffix(part, partSuffix)); err != nil {
			f.log.Warn().Err(err).Msg("cannot keep the journal of a killed host")
		}
	}
}

// Close writes the waiting data, as far as the disk takes it until ctx ends. Later blocks are ignored.
func (f *Files) Close(ctx context.Context) {
	if f == nil {
		return
	}
	f.close()
	select {
	case <-f.done:
	case <-ctx.Done():
		select {
		case <-f.done:
		default:
			f.log.Warn().Str("folder", f.opts.Dir).Msg("the disk does not take the last journals: the next start keeps what it has")
		}
	}
}

func (f *Files) run() {
	defer close(f.done)
	for {
		select {
		case j := <-f.jobs:
			f.obey(j)
		case <-f.quit:
			for {
				select {
				case j := <-f.jobs:
					f.obey(j)
				default:
					return
				}
			}
		}
	}
}

// obey writes a block, or gives its file up.
func (f *Files) obey(j job) {
	if err := f.take(j); err != nil {
		f.log.Warn().Err(err).Str("file", filepath.Join(f.opts.Dir, j.file.name)).Msg("the journal of a game is given up; the game goes on")
		j.file.lost.Store(true)
		f.remove(j.file)
	}
	f.waiting.Add(-int64(len(j.data)))
	if c := cap(j.data); c >= blockSize && c <= 4*blockSize { // not the journal of a whole game
		select {
		case f.spare <- j.data[:0]:
		default:
		}
	}
}

// take writes a block. No file stays open between two: hosts have many games and
// few descriptors. A journal that ends within its first block and is not kept
// never sees the disk.
func (f *Files) take(j job) error {
	if j.file.lost.Load() || j.end && !j.keep {
		f.remove(j.file)
		return nil
	}
	if err := os.MkdirAll(f.opts.Dir, 0o750); err != nil {
		return err
	}
	if err := f.room(j.file); err != nil {
		return err
	}
	part := f.part(j.file)
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !j.file.begun { // the part written by the process before may lack its end
		flags |= os.O_TRUNC
	}
	out, err := os.OpenFile(part, flags, 0o600)
	if err != nil {
		return err
	}
	j.file.begun = true
	f.zip.Reset(out)
	_, err = f.zip.Write(j.data)
	err = errors.Join(err, f.zip.Close())
	if info, err := out.Stat(); err == nil {
		f.parts += info.Size() - j.file.size
		j.file.size = info.Size()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if j.file.size > f.bounds.file {
		return fmt.Errorf("it has more than %d MiB", f.bounds.file>>20)
	}
	if !j.end {
		return nil
	}
	if err := os.Rename(part, filepath.Join(f.opts.Dir, j.file.name)); err != nil {
		return err
	}
	f.parts -= j.file.size
	j.file.removed = true
	f.prune()
	return nil
}

func (f *Files) part(of *file) string { return filepath.Join(f.opts.Dir, of.name+partSuffix) }

// remove removes the part of a journal, if there is one.
func (f *Files) remove(of *file) {
	if of.begun && !of.removed {
		of.removed = true
		f.parts -= of.size
		if err := os.Remove(f.part(of)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.log.Warn().Err(err).Msg("cannot remove the journal of a game")
		}
	}
}

// room returns why a journal can have nothing more.
func (f *Files) room(of *file) error {
	if now := time.Now(); now.Sub(f.askedAt) >= spaceEvery {
		f.askedAt, f.full = now, nil
		if free, known := f.space(f.opts.Dir); known && free < f.bounds.free {
			f.full = fmt.Errorf("the disk has %d MiB free; journals are written from %d MiB on", free>>20, f.bounds.free>>20)
		}
	}
	if f.full == nil && f.parts+f.kept > f.bounds.folder {
		f.prune()
		if f.parts+f.kept > f.bounds.folder {
			return fmt.Errorf("the folder has %d MiB, which is all that journals may take", (f.parts+f.kept)>>20)
		}
	}
	return f.full
}

// prune removes the oldest kept journals, as far as there are too many or they take too much beside those that
// are written.
func (f *Files) prune() {
	entries, _ := os.ReadDir(f.opts.Dir)
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(b.Name(), a.Name()))
	})
	f.kept = 0
	removed, full := 0, false
	for i, info := range files { // the newest first
		full = full || i >= f.bounds.files || f.parts+f.kept+info.Size() > f.bounds.folder
		if full && os.Remove(filepath.Join(f.opts.Dir, info.Name())) == nil {
			removed++
			continue
		}
		f.kept += info.Size()
	}
	if removed > 0 {
		f.log.Info().Int("files", removed).Msg("removed the oldest journals")
	}
}
