package recording

import (
	"cmp"
	"errors"
	"net/netip"
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

const (
	// mostBatches and mostBytes limit the batches of all games waiting to be written.
	mostBatches = 8192
	mostBytes   = 64 << 20
	// mostFile is the maximum file size in bytes. Recording stops lastPart before it, which leaves room for a
	// batch and the end of the file.
	mostFile = 32 << 20
	lastPart = 256 << 10
	// pruneEvery is the interval at which old files are deleted; this also happens after each game.
	pruneEvery = time.Hour
)

// Options configures an Archive.
type Options struct {
	Dir  string
	Name string // template for file names; see fields.expand
	// KeepFor is the maximum age of a replay and KeepBytes the maximum total size; 0 means no limit. The
	// oldest replays are deleted first, and minor ones before all others. Minor replays are those of short
	// games, of games in which fewer than two people acted, and of games whose players all came from one
	// address.
	KeepFor   time.Duration
	KeepBytes int64
	// GoOn lists the file names of games of a killed host that this process continues; their files are
	// written again.
	GoOn []string
	// Exempt reports whether many people may share an address. nil means that no address is shared.
	Exempt func(netip.Addr) bool
	// Heart triggers the writing of all games' batches, at most once a second. If nil, the archive uses its
	// own timer.
	Heart *heartbeat.Heart
	Log   zerolog.Logger
	Disk  disk.Disk // nil means disk.System
}

// Archive writes the replays of all games into one folder, with a single goroutine.
type Archive struct {
	opts  Options
	jobs  chan *batch
	bytes atomic.Int64 // bytes in jobs
	quit  chan struct{}
	done  chan struct{}
	spare sync.Pool // reusable *batch values

	mu    sync.Mutex
	names map[string]bool // names in use, in lower case without suffix

	// Used only by the goroutine.
	open     []*Recording // their files are open, in the order of their games' starts
	mostFile int64        // replaces the constant in tests; 0 means the constant
}

// Open creates the folder and starts the goroutine, which first completes replays that a killed host left
// behind.
func Open(opts Options) (*Archive, error) {
	opts.Disk = cmp.Or(opts.Disk, disk.System)
	if err := opts.Disk.MkdirAll(opts.Dir, 0o755); err != nil {
		return nil, err
	}
	entries, err := opts.Disk.ReadDir(opts.Dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{
		opts: opts, jobs: make(chan *batch, mostBatches), quit: make(chan struct{}), done: make(chan struct{}),
		names: map[string]bool{},
	}
	a.spare.New = func() any { return new(batch) }
	for _, e := range entries {
		if name, ok := strings.CutSuffix(FinalOf(e.Name()), suffix); ok {
			a.names[fold(name)] = true
		}
	}
	go a.run() // ends with Close
	return a, nil
}

// New returns a Recording for a game whose lobby has opened. A nil Archive returns nil.
func (a *Archive) New(about About) *Recording {
	if a == nil {
		return nil
	}
	return &Recording{to: a, about: about}
}

// Close writes all queued data and completes all files. It returns an error if the disk takes longer than
// within.
func (a *Archive) Close(within time.Duration) error {
	if a == nil {
		return nil
	}
	close(a.quit)
	select {
	case <-a.done:
		return nil
	case <-time.After(within):
		return errors.New("the replays could not be written in time; the next start completes them")
	}
}

func (a *Archive) batch(r *Recording) *batch {
	b := a.spare.Get().(*batch)
	*b = batch{rec: r, events: b.events[:0], bytes: b.bytes[:0]}
	return b
}

func (a *Archive) run() {
	defer close(a.done)
	a.rescue()
	a.prune(time.Now())
	prune := time.NewTicker(pruneEvery)
	defer prune.Stop()
	beats, stop := a.opts.Heart.Listen(heartbeat.Every)
	defer stop()
	for {
		jobs, tick := a.jobs, (<-chan time.Time)(nil)
		if len(a.open) > 0 {
			jobs, tick = nil, beats // with open files, wait for the tick: waking up for each batch costs more than writing it
		}
		select {
		case b := <-jobs:
			a.take(b)
		case <-tick:
			a.takeAll()
			a.finishLost()
		case now := <-prune.C:
			a.prune(now)
		case <-a.quit:
			a.takeAll()
			for len(a.open) > 0 {
				a.finish(a.open[0])
			}
			return
		}
	}
}

// takeAll writes all queued batches and flushes each file once.
func (a *Archive) takeAll() {
	for n := len(a.jobs); n > 0; n-- {
		a.take(<-a.jobs)
	}
	for _, r := range slices.Clone(a.open) {
		if r.out.fresh {
			r.out.fresh = false
			if err := r.out.w.Flush(); err != nil {
				a.fail(r, err)
			}
		}
	}
}

// take passes a batch to the writer of its game.
func (a *Archive) take(b *batch) {
	r := b.rec
	a.bytes.Add(-int64(len(b.bytes)))
	if b.start != nil && !r.failed.Load() {
		var err error
		if r.out, err = create(a.opts.Disk, filepath.Join(a.opts.Dir, r.file), r.about.File != "", r.about.Game, b.start); err != nil {
			a.fail(r, err)
		} else {
			a.open = append(a.open, r)
		}
	}
	if r.out != nil {
		r.out.fresh = true
		switch err := b.write(r.out.w); {
		case b.leave:
			r.out.leave()
			a.forget(r)
		case err != nil:
			a.fail(r, err)
		case b.end:
			a.finish(r)
			a.prune(time.Now())
		case r.out.size() > cmp.Or(a.mostFile, mostFile)-lastPart:
			r.lost.Store(true)
			a.opts.Log.Warn().Str("file", r.file).Int("mib", mostFile>>20).Msg("the replay of a game has reached the maximum size and ends here; the game continues")
			a.finish(r)
			a.prune(time.Now())
		}
	}
	if cap(b.bytes) <= 2*batchBytes {
		a.spare.Put(b)
	}
}

// finishLost completes the files of recordings that had to stop.
func (a *Archive) finishLost() {
	for _, r := range slices.Clone(a.open) {
		if r.lost.Load() && len(a.jobs) == 0 {
			a.finish(r)
		}
	}
}

func (a *Archive) finish(r *Recording) {
	if err := r.out.finish(); err != nil {
		a.fail(r, err)
		return
	}
	a.forget(r)
	if r.minor.Load() {
		a.noteMinor(r.file)
	}
}

// put queues a batch without blocking. It returns false if too much is queued.
func (a *Archive) put(b *batch) bool {
	n := int64(len(b.bytes))
	if a.bytes.Add(n) > mostBytes {
		a.bytes.Add(-n)
		return false
	}
	select {
	case a.jobs <- b:
		return true
	default:
		a.bytes.Add(-n)
		return false
	}
}

// fail ends a recording after a write error and keeps the readable part of the file.
func (a *Archive) fail(r *Recording, err error) {
	r.failed.Store(true)
	a.opts.Log.Warn().Err(err).Str("file", filepath.Join(a.opts.Dir, r.file)).
		Msg("cannot write the replay of a game any further; the game continues")
	if r.out != nil {
		r.out.abandon()
		a.forget(r)
	}
}

// forget removes a recording whose file is closed.
func (a *Archive) forget(r *Recording) {
	r.out = nil
	a.open = slices.DeleteFunc(a.open, func(o *Recording) bool { return o == r })
}
