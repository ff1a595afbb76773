package recording

import (
	"cmp"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/heartbeat"
)

const (
	// mostBatches and mostBytes bound the batches of all games that wait for the disk.
	mostBatches = 8192
	mostBytes   = 64 << 20
	// mostFile is how long a file may become. It is finished before, by as much as a batch and the end of a file may add.
	mostFile = 32 << 20
	lastPart = 256 << 10
	// pruneEvery is how often old files are looked for; also after each game.
	pruneEvery = time.Hour
)

// Options say where replays are written and how long they are kept.
type Options struct {
	Dir  string
	Name string // template of their names; see fields
	// KeepFor is how old a replay may become, KeepBytes what all may take together;
	// 0 is no bound. The oldest go first, and minor ones before all others: short games, those in which fewer than two
	// people acted, and those whose people all came from one address.
	KeepFor   time.Duration
	KeepBytes int64
	// GoOn names the files of games that a killed host has left and that go on: they are
	// written anew.
	GoOn []string
	// Exempt reports whether many people may share an address; nil: no address.
	Exempt func(netip.Addr) bool
	// Heart beats once a second: batches of all games are written then, together. nil: it beats
	// by itself.
	Heart *heartbeat.Heart
	Log   zerolog.Logger
}

// Archive writes the replays of all games into one folder.
type Archive struct {
	opts  Options
	jobs  chan *batch
	bytes atomic.Int64 // in jobs
	quit  chan struct{}
	done  chan struct{}
	spare sync.Pool // of *batch

	mu    sync.Mutex
	names map[string]bool // in use, without suffix, in lower case

	// Of the goroutine.
	open     map[*Recording]bool
	mostFile int64 // 0: as the constant; tests have less
}

// Open creates the folder, and begins to finish replays that a killed host left.
func Open(opts Options) (*Archive, error) {
	if err := os.MkdirAll(opts.Dir, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(opts.Dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{
		opts: opts, jobs: make(chan *batch, mostBatches), quit: make(chan struct{}), done: make(chan struct{}),
		names: map[string]bool{}, open: map[*Recording]bool{},
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

// New begins to record a game whose lobby has opened. A nil Archive records
// nothing.
func (a *Archive) New(about About) *Recording {
	if a == nil {
		return nil
	}
	return &Recording{to: a, about: about}
}

// Close writes the waiting bytes and finishes all files, within a time limit for a disk that
// hangs.
func (a *Archive) Close(within time.Duration) error {
	if a == nil {
		return nil
	}
	close(a.quit)
	select {
	case <-a.done:
		return nil
	case <-time.After(within):
		return errors.New("the disk does not take the replays; the next start finishes them")
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
			jobs, tick = nil, beats // to wake for each batch would cost more than to write it
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
			for r := range a.open {
				a.finish(r)
			}
			return
		}
	}
}

// takeAll writes the waiting bytes; the file of each game once.
func (a *Archive) takeAll() {
	for n := len(a.jobs); n > 0; n-- {
		a.take(<-a.jobs)
	}
	for r := range a.open {
		if r.out.fresh {
			r.out.fresh = false
			if err := r.out.w.Flush(); err != nil {
				a.fail(r, err)
			}
		}
	}
}

// take gives a batch to the writer of its game.
func (a *Archive) take(b *batch) {
	r := b.rec
	a.bytes.Add(-int64(len(b.bytes)))
	if b.start != nil && !r.failed.Load() {
		var err error
		if r.out, err = create(filepath.Join(a.opts.Dir, r.file), r.about.File != "", r.about.Game, b.start); err != nil {
			a.fail(r, err)
		} else {
			a.open[r] = true
		}
	}
	if a.open[r] {
		r.out.fresh = true
		switch err := b.write(r.out.w); {
		case b.leave:
			delete(a.open, r)
			r.out.leave()
		case err != nil:
			a.fail(r, err)
		case b.end:
			a.finish(r)
			a.prune(time.Now())
		case r.out.size() > cmp.Or(a.mostFile, mostFile)-lastPart:
			r.lost.Store(true)
			a.opts.Log.Warn().Str("file", r.file).Int("mib", mostFile>>20).Msg("the replay of a game has become as long as one may be, and ends here; the game goes on")
			a.finish(r)
			a.prune(time.Now())
		}
	}
	if cap(b.bytes) <= 2*batchBytes {
		a.spare.Put(b)
	}
}

// finishLost finishes the files of recordings that could not keep up.
func (a *Archive) finishLost() {
	for r := range a.open {
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
	delete(a.open, r)
	if r.minor.Load() {
		a.noteMinor(r.file)
	}
}

// put has a batch written. It does not wait; false: too much waits already.
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

// fail ends a recording. The readable part of the file is kept.
func (a *Archive) fail(r *Recording, err error) {
	delete(a.open, r)
	r.failed.Store(true)
	a.opts.Log.Warn().Err(err).Str("file", filepath.Join(a.opts.Dir, r.file)).
		Msg("the replay of a game cannot be written any further; the game goes on")
	if r.out != nil {
		r.out.abandon()
		r.out = nil
	}
}
