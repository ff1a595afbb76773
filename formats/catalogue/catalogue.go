// Package catalogue knows the maps in a folder: it scans and watches it, keeps the values it computed in a file, and finds
// maps by a part of their name.
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
	"w3host/internal/heartbeat"
	"w3host/protocol/w3gs"
)

const (
	defaultInterval = 2 * time.Second
	defaultSettle   = time.Second

	// settleTries bounds how long Open waits for files that are just being written.
	settleTries = 3

	// retryLooks is how many looks apart a file is read again that the disk fails on, which takes it long.
	retryLooks = 30

	// maxReaders bounds how many maps are read at a time, each of which may take tens of megabytes.
	maxReaders = 4
)

// Options say for whom the maps are read.
type Options struct {
	Version w3gs.Version   // of the game that is hosted; 0 means w3gs.DefaultVersion
	Scripts *w3map.Scripts // of that version, or nil

	Cache    string        // file to keep identifiers in between starts; "" for none
	Interval time.Duration // between two looks at the folder while watching; 0 means 2 s
	Settle   time.Duration // how long a file must not have changed before it is read; 0 means 1 s

	// Report, if set, gets the faults that do no harm, such as a cache that cannot be written.
	Report func(error)
	// Progress, if set, gets how many bytes have been read of all that are to be read. It is called from several
	// goroutines.
	Progress func(done, total int64)
}

// MapFile is one map file.
type MapFile struct {
	File    string // path within the folder, with slashes
	Size    int64
	ModTime time.Time

	Map   *w3map.Map // nil if there is a Fault; it must not be changed
	Fault error      // why the map cannot be hosted
}

// Tag changes when the file is written. It is an ETag of HTTP.
func (e *MapFile) Tag() string { return fmt.Sprintf(`"%x-%x"`, e.Size, e.ModTime.UnixNano()) }

// Catalogue is the maps of one folder. Its methods may be called from several goroutines at once.
type Catalogue struct {
	dir  string
	opts Options

	scanning sync.Mutex // one scan at a time; guards what follows
	cache    *cache
	pending  map[string]stamp // files that were too fresh to read, as they were then
	closed   map[string]bool  // what was reported of folders that could not be read by the last scan
	readers  int              // how many files are read at a time

	mu    sync.RWMutex // guards what follows
	files []*MapFile   // by File
	known map[string]*record
}

// record keeps the results for a file from one scan to the next.
type record struct {
	file   *MapFile
	base   cached    // before the file beside it
	beside stamp     // of that file
	retry  time.Time // when to read the map again, if it is unread
}

// stamp changes when a file is written. The zero stamp stands for no file.
type stamp struct {
	Size    int64
	ModTime int64 // nanoseconds
}

func stampOf(info os.FileInfo) stamp { return stamp{info.Size(), info.ModTime().UnixNano()} }

// Open scans dir and its sub-folders. A map that is broken is an entry with a fault; the error is about the folder
// itself. Files that change while they are looked at are waited for, a few seconds at most.
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
	c.readers = 1 // games may be running from now on
	return c, nil
}

// Watch looks at the folder at the beats of heart, Options.Interval apart or more, until ctx is done, and calls changed after each look that found something
// new. A fault that stays is reported once. It returns the context's error.
func (c *Catalogue) Watch(ctx context.Context, heart *heartbeat.Heart, changed func()) error {
	beats, stop := heart.Listen(c.opts.Interval)
	defer stop()
	reported := "" // of the look before
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

// Files lists all maps, those with a fault too, by the name of their file.
func (c *Catalogue) Files() []*MapFile {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.files)
}

// Path is where the file of an entry is.
func (c *Catalogue) Path(e *MapFile) string { return filepath.Join(c.dir, filepath.FromSlash(e.File)) }

func (c *Catalogue) report(err error) {
	if c.opts.Report != nil && err != nil {
		c.opts.Report(err)
	}
}

// apply reads the file beside the map, at path, and puts its values in place of the map's.
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
