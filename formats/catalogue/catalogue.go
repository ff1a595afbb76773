// Package catalogue maintains the list of map files in a folder. It scans and watches the folder, caches
// computed map values in a file, and finds maps by a part of their name.
//
// Open returns a Catalogue; MapFile is an entry. Package daemon opens one for the host's map folder, and the
// web console lists it. It does not modify the folder; only the cache file is written.
package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/internal/background"
	"w3host/internal/heartbeat"
	"w3host/protocol/w3gs"
)

const (
	defaultInterval = 2 * time.Second
	defaultSettle   = time.Second

	// settleTries limits how often Open waits for files that are still being written.
	settleTries = 3

	// retryLooks is the number of watch intervals after which a file with a read error is read again. Reading
	// it more often could block for long, because failing disks respond slowly.
	retryLooks = 30

	// maxReaders is the maximum number of maps that Open reads in parallel. It bounds memory: reading one map
	// may need tens of megabytes.
	maxReaders = 4
)

// Options configures a Catalogue.
type Options struct {
	Version w3gs.Version   // game version to host; 0 means w3gs.DefaultVersion
	Scripts *w3map.Scripts // the game's scripts of that version, or nil

	Cache    string        // path of the cache file; "" disables the cache
	Interval time.Duration // time between scans while watching; 0 means 2 s
	Settle   time.Duration // a file is read once it has not changed for this long; 0 means 1 s

	// Report, if not nil, is called with errors that do not stop the Catalogue, such as a cache file that cannot
	// be written.
	Report func(error)
	// Progress, if not nil, is called during a scan with the number of bytes read so far and the total. Several
	// goroutines may call it concurrently.
	Progress func(done, total int64)
}

// MapFile is one map file of the folder. It must not be modified.
type MapFile struct {
	File    string // path within the folder, with slashes
	Size    int64
	ModTime time.Time

	Map   *w3map.Map // nil if Fault is set
	Fault error      // reason why the map cannot be hosted
}

// Tag returns an HTTP ETag that changes when the file is written.
func (e *MapFile) Tag() string { return fmt.Sprintf(`"%x-%x"`, e.Size, e.ModTime.UnixNano()) }

// Catalogue is the list of maps in a folder. It is safe for concurrent use.
type Catalogue struct {
	dir  string
	opts Options

	scanning sync.Mutex // serialises scans and guards the following fields
	cache    *cache
	pending  map[string]stamp    // files not read yet because they changed within Options.Settle
	closed   map[string]bool     // errors about unreadable folders that the last scan reported
	readers  int                 // number of files read in parallel
	threads  *background.Threads // low-priority threads that read files; nil until Open returns, as no games run before

	mu    sync.RWMutex // guards the following fields
	files []*MapFile   // sorted by File
	known map[string]*record
}

// record is the result of reading one file, kept for the next scan.
type record struct {
	file   *MapFile
	base   cached    // result before the settings file is applied
	beside stamp     // stamp of the map's settings file
	retry  time.Time // when to read an unread map again
}

// stamp is the size and modification time of a file; a file with a different stamp has changed. The zero stamp
// stands for a missing file.
type stamp struct {
	Size    int64
	ModTime int64 // nanoseconds since 1970
}

func stampOf(info os.FileInfo) stamp { return stamp{info.Size(), info.ModTime().UnixNano()} }

// Open scans dir and its subfolders and returns their Catalogue. It blocks until all maps are read, and up to
// a few seconds longer for files that are still being written. Broken maps become entries with a Fault; Open
// returns an error only if the folder itself cannot be read or ctx ends.
func Open(ctx context.Context, dir string, opts Options) (*Catalogue, error) {
	opts.Version = cmp.Or(opts.Version, w3gs.DefaultVersion)
	opts.Interval = cmp.Or(opts.Interval, defaultInterval)
	opts.Settle = cmp.Or(opts.Settle, defaultSettle)
	c := &Catalogue{dir: dir, opts: opts, pending: map[string]stamp{}, known: map[string]*record{}}
	c.readers = min(maxReaders, runtime.GOMAXPROCS(0))
	var err error
	if c.cache, err = loadCache(opts.Cache); err != nil {
		c.report(err)
	}
	for range settleTries {
		if _, err := c.Scan(ctx); err != nil {
			return nil, err
		}
		if len(c.pending) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(opts.Settle):
		}
	}
	c.readers, c.threads = 1, background.New() // leave CPU time to running games from now on
	return c, nil
}

// Watch scans the folder at beats of heart, at least Options.Interval apart, and calls changed after each
// scan that found changes. It reports an error once, even if the following scans fail in the same way. It blocks
// until ctx is done and returns the context's error.
func (c *Catalogue) Watch(ctx context.Context, heart *heartbeat.Heart, changed func()) error {
	beats, stop := heart.Listen(c.opts.Interval)
	defer stop()
	reported := "" // error of the previous scan
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-beats:
		}
		news, err := c.Scan(ctx)
		fault := ""
		if err != nil && ctx.Err() == nil {
			if fault = err.Error(); fault != reported {
				c.report(err)
			}
		}
		reported = fault
		if news {
			changed()
		}
	}
}

// Files returns all entries sorted by File, including those with a Fault.
func (c *Catalogue) Files() []*MapFile {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.files)
}

// Path returns the file system path of an entry.
func (c *Catalogue) Path(e *MapFile) string { return filepath.Join(c.dir, filepath.FromSlash(e.File)) }

func (c *Catalogue) report(err error) {
	if c.opts.Report != nil && err != nil {
		c.opts.Report(err)
	}
}

// apply sets the entry's Map or Fault from the base result and the map's settings file at path.
func (r *record) apply(path string) {
	e := r.file
	e.Map, e.Fault = nil, nil
	if r.base.Fault != "" {
		e.Fault = errors.New(r.base.Fault)
		return
	}
	m := *r.base.Map
	m.Warnings = slices.Clone(m.Warnings)
	config, err := mapconf.Load(path)
	if err == nil {
		err = config.Apply(&m)
	}
	if err != nil {
		e.Fault = err
		return
	}
	e.Map = &m
}
