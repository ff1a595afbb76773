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

	"w3host/internal/disk"
	"w3host/internal/heartbeat"
)

// bounds limits the resources of all journals. A journal that exceeds a limit is abandoned; its game
// continues.
type bounds struct {
	waiting int64  // bytes of all games waiting to be written
	file    int64  // compressed bytes of one file
	files   int    // number of finished files kept in the folder
	folder  int64  // bytes of all files in the folder
	free    uint64 // bytes that must stay free on the disk
}

var usual = bounds{waiting: 32 << 20, file: 16 << 20, files: 100, folder: 1 << 30, free: 1 << 30}

const (
	// jobsWaiting is the maximum number of blocks of all games waiting to be written.
	jobsWaiting = 2048
	// sparesKept is the number of buffers kept for reuse.
	sparesKept = 64
	// spaceEvery is the interval between checks of the free disk space.
	spaceEvery = time.Second
	suffix     = ".journal.gz"
	partSuffix = ".part"
)

// file is the file of one journal.
type file struct {
	name string
	lost atomic.Bool // abandoned: nothing more is written

	// Used only by the goroutine of Files.
	begun   bool
	removed bool
	size    int64
}

// job is a block of a journal to write. end marks the last block; keep then decides whether the file is kept.
type job struct {
	file      *file
	data      []byte
	end, keep bool
}

// Files writes the journals of all games with a single goroutine. Files of running games have names that end
// in .part. If a host is killed, its files remain and can be rerun up to the point of interruption. Exported
// methods are safe for concurrent use.
type Files struct {
	opts    Options
	bounds  bounds
	space   func(dir string) (free uint64, known bool)
	log     zerolog.Logger
	jobs    chan job
	waiting atomic.Int64 // bytes in jobs
	closed  atomic.Bool
	soon    chan struct{} // wakes the writer before the next beat, when a journal has ended or much is queued
	quit    chan struct{}
	done    chan struct{}
	close   func()
	spare   chan []byte // buffers for reuse

	// Used only by the goroutine.
	zip     *gzip.Writer // shared by all files: each block is a separate gzip member
	kept    int64        // bytes of the finished files that are kept
	parts   int64        // bytes of the .part files
	askedAt time.Time    // time of the last check of the free space
	full    error        // error if the disk has too little free space, or nil
}

// Open starts writing journals to opts.Dir. It keeps .part files of a killed host, except those named in
// goOn, whose games continue. It returns nil if no folder is set; all methods accept a nil *Files.
func Open(opts Options, log zerolog.Logger, goOn ...string) *Files {
	if opts.Dir == "" {
		return nil
	}
	f := newFiles(opts, log)
	go func() { // ends with Close
		f.rescue(goOn)
		f.prune()
		f.run()
	}()
	return f
}

func newFiles(opts Options, log zerolog.Logger) *Files {
	opts.Disk = cmp.Or(opts.Disk, disk.System)
	f := &Files{
		opts: opts, bounds: usual, log: log,
		space: opts.Disk.Free,
		jobs:  make(chan job, jobsWaiting), soon: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}), spare: make(chan []byte, sparesKept),
	}
	f.close = sync.OnceFunc(func() { f.closed.Store(true); close(f.quit) })
	f.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // cannot fail for a valid level
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

// put queues a block without blocking. It returns false if too much is queued or Close was called.
func (f *Files) put(j job) bool {
	n := int64(len(j.data))
	if f.closed.Load() || f.waiting.Add(n) > f.bounds.waiting {
		f.waiting.Add(-n)
		return false
	}
	select {
	case f.jobs <- j:
	default:
		f.waiting.Add(-n)
		return false
	}
	if j.end || f.waiting.Load() > f.bounds.waiting/2 || len(f.jobs) > jobsWaiting/2 {
		select {
		case f.soon <- struct{}{}:
		default:
		}
	}
	return true
}

// awaitEvery is the polling interval of Await.
const awaitEvery = 10 * time.Millisecond

// Await blocks until n bytes can be queued or the time within has passed. Call it before queuing a whole
// journal, so that the journals of many games taken over at once do not exceed the limit.
func (f *Files) Await(n int, within time.Duration) {
	if f == nil {
		return
	}
	for began := time.Now(); f.waiting.Load()+int64(n) > f.bounds.waiting && !f.closed.Load() && time.Since(began) < within; time.Sleep(awaitEvery) {
	}
}

// rescue keeps the journals of a killed host under their final names. They lack their end, but can be rerun
// up to there.
func (f *Files) rescue(goOn []string) {
	for _, part := range disk.Names(f.opts.Disk, f.opts.Dir, partSuffix) {
		if slices.Contains(goOn, strings.TrimSuffix(filepath.Base(part), partSuffix)) {
			continue
		}
		if err := f.opts.Disk.Rename(part, strings.TrimSuffix(part, partSuffix)); err != nil {
			f.log.Warn().Err(err).Msg("cannot keep the journal of a killed host")
		}
	}
}

// Close writes the queued data until ctx ends. Blocks queued later are discarded.
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
			f.log.Warn().Str("folder", f.opts.Dir).Msg("the last journals could not be written in time; the next start keeps what was written")
		}
	}
}

func (f *Files) run() {
	defer close(f.done)
	jobs, beats := f.jobs, (<-chan time.Time)(nil)
	if f.opts.Heart != nil {
		var stop func()
		beats, stop = f.opts.Heart.ListenWhen(heartbeat.Every, func() bool { return len(f.jobs) > 0 })
		defer stop()
		jobs = nil // a wake-up per block would cost more than writing it
	}
	for {
		select {
		case j := <-jobs:
			f.process(j)
		case <-beats:
			f.processAll()
		case <-f.soon:
			f.processAll()
		case <-f.quit:
			f.processAll()
			return
		}
	}
}

// processAll processes all queued jobs.
func (f *Files) processAll() {
	for {
		select {
		case j := <-f.jobs:
			f.process(j)
		default:
			return
		}
	}
}

// process writes a block, or abandons its file if that fails.
func (f *Files) process(j job) {
	if err := f.writeBlock(j); err != nil {
		f.log.Warn().Err(err).Str("file", filepath.Join(f.opts.Dir, j.file.name)).Msg("the journal of a game is abandoned; the game continues")
		j.file.lost.Store(true)
		f.remove(j.file)
	}
	f.waiting.Add(-int64(len(j.data)))
	if c := cap(j.data); c >= blockSize && c <= 4*blockSize { // do not keep buffers of a whole journal
		select {
		case f.spare <- j.data[:0]:
		default:
		}
	}
}

// writeBlock writes a block. It reopens the file each time, because a host has many games and few file descriptors.
// A journal that ends within its first block and is not kept never touches the disk.
func (f *Files) writeBlock(j job) error {
	if j.file.lost.Load() || j.end && !j.keep {
		f.remove(j.file)
		return nil
	}
	if err := f.opts.Disk.MkdirAll(f.opts.Dir, 0o750); err != nil {
		return err
	}
	if err := f.checkLimits(j.file); err != nil {
		return err
	}
	part := f.part(j.file)
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !j.file.begun { // truncate: the file of a previous process may lack its end
		flags |= os.O_TRUNC
	}
	out, err := f.opts.Disk.OpenFile(part, flags, 0o600)
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
		return fmt.Errorf("it is larger than %d MiB", f.bounds.file>>20)
	}
	if !j.end {
		return nil
	}
	if err := f.opts.Disk.Rename(part, filepath.Join(f.opts.Dir, j.file.name)); err != nil {
		return err
	}
	f.parts -= j.file.size
	j.file.removed = true
	f.prune()
	return nil
}

func (f *Files) part(of *file) string { return filepath.Join(f.opts.Dir, of.name+partSuffix) }

// remove deletes the .part file of a journal, if there is one.
func (f *Files) remove(of *file) {
	if of.begun && !of.removed {
		of.removed = true
		f.parts -= of.size
		if err := f.opts.Disk.Remove(f.part(of)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.log.Warn().Err(err).Msg("cannot remove the journal of a game")
		}
	}
}

// checkLimits returns an error if the limits allow no more data for a journal.
func (f *Files) checkLimits(of *file) error {
	if now := time.Now(); now.Sub(f.askedAt) >= spaceEvery {
		f.askedAt, f.full = now, nil
		if free, known := f.space(f.opts.Dir); known && free < f.bounds.free {
			f.full = fmt.Errorf("the disk has only %d MiB free; journals need %d MiB", free>>20, f.bounds.free>>20)
		}
	}
	if f.full == nil && f.parts+f.kept > f.bounds.folder {
		f.prune()
		if f.parts+f.kept > f.bounds.folder {
			return fmt.Errorf("the journals take %d MiB, which is the limit", (f.parts+f.kept)>>20)
		}
	}
	return f.full
}

// prune deletes the oldest finished journals that exceed the limits for the folder.
func (f *Files) prune() {
	entries, _ := f.opts.Disk.ReadDir(f.opts.Dir)
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
	for i, info := range files { // newest first
		full = full || i >= f.bounds.files || f.parts+f.kept+info.Size() > f.bounds.folder
		if full && f.opts.Disk.Remove(filepath.Join(f.opts.Dir, info.Name())) == nil {
			removed++
			continue
		}
		f.kept += info.Size()
	}
	if removed > 0 {
		f.log.Info().Int("files", removed).Msg("removed the oldest journals")
	}
}
