package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"w3host/formats/mapconf"
	"w3host/formats/w3map"
)

// errChanged means that a file was modified while it was read.
var errChanged = errors.New("the file is being written")

// Scan scans the folder once, reads new and changed files, and reports whether there were changes. It blocks
// until all files are read.
func (c *Catalogue) Scan(ctx context.Context) (news bool, err error) {
	c.scanning.Lock()
	defer c.scanning.Unlock()
	return c.scan(ctx, "")
}

// Add reads a file that was moved into the folder complete, without waiting for it to settle. file is its
// path within the folder.
func (c *Catalogue) Add(ctx context.Context, file string) (*MapFile, error) {
	c.scanning.Lock()
	defer c.scanning.Unlock()
	if _, err := c.scan(ctx, file); err != nil {
		return nil, err
	}
	if r := c.known[file]; r != nil {
		return r.file, nil
	}
	return nil, fmt.Errorf("%s: %w", file, errChanged)
}

func (c *Catalogue) scan(ctx context.Context, placed string) (news bool, err error) {
	files, err := c.list(ctx)
	if err != nil {
		return false, err
	}
	next := make(map[string]*record, len(files))
	var toRead []*record
	for _, f := range files {
		old := c.known[f.file.File]
		switch same := old != nil && old.stamp() == f.stamp(); {
		case same && old.beside == f.beside && (!old.unread() || time.Now().Before(old.retry)):
			next[f.file.File] = old
		case !same && f.file.File != placed && c.tooFresh(f): // not listed until it has settled
		default:
			delete(c.pending, f.file.File)
			toRead = append(toRead, f)
		}
	}
	read, err := c.readAll(ctx, toRead)
	if err != nil {
		return false, err
	}
	for i, f := range toRead {
		switch old := c.known[f.file.File]; {
		case !read[i]:
			c.pending[f.file.File] = f.stamp()
		case old != nil && old.unread() && f.unread() && old.file.Fault.Error() == f.file.Fault.Error():
			next[f.file.File] = f
		default:
			next[f.file.File], news = f, true
		}
	}
	for file := range c.known {
		news = news || next[file] == nil
	}
	entries := make([]*MapFile, 0, len(files)) // sorted by File, like files
	for _, f := range files {
		if r := next[f.file.File]; r != nil {
			entries = append(entries, r.file)
		}
	}
	c.mu.Lock()
	c.files, c.known = entries, next
	c.mu.Unlock()
	if news {
		c.report(c.cache.save(next))
	}
	return news, nil
}

func (r *record) stamp() stamp { return stamp{r.file.Size, r.file.ModTime.UnixNano()} }

// unread reports whether the map or its settings file could not be opened or read. Such a file is
// tried again in every scan, even if its size and time have not changed.
func (r *record) unread() bool { return r.base.unread || unread(r.file.Fault) }

func unread(err error) bool {
	_, fault := errors.AsType[*fs.PathError](err)
	return fault
}

// tooFresh reports whether a file may still be growing: it was written recently or has changed since the last
// scan.
func (c *Catalogue) tooFresh(f *record) bool {
	before, seen := c.pending[f.file.File]
	age := time.Since(f.file.ModTime)
	settled := age < 0 || age >= c.opts.Settle // a time in the future means a wrong clock
	if settled && (!seen || before == f.stamp()) {
		return false
	}
	c.pending[f.file.File] = f.stamp()
	return true
}

// walk visits all files in a folder and its subfolders, except hidden ones. It does not use io/fs, which
// rejects names that are not valid UTF-8. It returns an error of the folder itself or of the context; errors
// of subfolders go to closed.
func (c *Catalogue) walk(ctx context.Context, folder string, visit func(name string), closed func(error)) error {
	entries, err := os.ReadDir(filepath.Join(c.dir, filepath.FromSlash(folder)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case strings.HasPrefix(e.Name(), "."):
		case !e.IsDir():
			visit(name)
		default:
			if err := c.walk(ctx, name, visit, closed); err != nil && ctx.Err() == nil {
				closed(err)
			}
		}
	}
	return ctx.Err()
}

// list returns the map files sorted by name, without reading them.
func (c *Catalogue) list(ctx context.Context) ([]*record, error) {
	var files []*record
	besides := map[string]stamp{}
	before := c.closed
	c.closed = map[string]bool{}
	err := c.walk(ctx, "", func(name string) {
		ext := strings.ToLower(path.Ext(name))
		if ext != ".w3x" && ext != ".w3m" && ext != ".toml" {
			return
		}
		info, err := os.Stat(filepath.Join(c.dir, filepath.FromSlash(name))) // follows symbolic links
		switch {
		case err != nil || info.IsDir(): // removed meanwhile, or a folder
		case ext == ".toml":
			besides[name] = stampOf(info)
		default:
			files = append(files, &record{file: &MapFile{File: name, Size: info.Size(), ModTime: info.ModTime()}})
		}
	}, func(err error) {
		if c.closed[err.Error()] = true; !before[err.Error()] {
			c.report(err)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("map folder %s: %w", c.dir, err)
	}
	for _, f := range files {
		f.beside = besides[w3map.ConfigName(f.file.File)]
	}
	maps.DeleteFunc(c.pending, func(file string, _ stamp) bool {
		return !slices.ContainsFunc(files, func(f *record) bool { return f.file.File == file })
	})
	slices.SortFunc(files, func(a, b *record) int { return strings.Compare(a.file.File, b.file.File) })
	return files, nil
}

// readAll reads files in parallel and reports which of them did not change meanwhile.
func (c *Catalogue) readAll(ctx context.Context, files []*record) (read []bool, err error) {
	var total int64
	for _, f := range files {
		total += f.file.Size
	}
	var done atomic.Int64
	advance := func(n int) {
		sum := done.Add(int64(n))
		if c.opts.Progress != nil {
			c.opts.Progress(sum, total)
		}
	}
	read = make([]bool, len(files))
	var readers errgroup.Group
	readers.SetLimit(c.readers)
	for i, f := range files {
		readers.Go(func() error { // ends when the file is read
			do := func() { read[i] = ctx.Err() == nil && c.read(f, advance) }
			if c.threads == nil {
				do()
			} else {
				c.threads.Do(do)
			}
			return nil
		})
	}
	return read, cmp.Or(readers.Wait(), ctx.Err())
}

// read reads a map and its settings file. It returns false if the map changed meanwhile.
func (c *Catalogue) read(r *record, advance func(int)) bool {
	name := c.Path(r.file)
	base, ok := c.cache.get(r.file.File, r.stamp(), c.opts)
	if ok {
		advance(int(r.file.Size))
	} else {
		var err error
		if base, err = c.readFile(name, r, advance); err != nil {
			return false
		}
	}
	r.base = base
	r.apply(w3map.ConfigName(name))
	return true
}

// readFile reads a map, unless the cache holds the same content with another modification time.
func (c *Catalogue) readFile(name string, r *record, advance func(int)) (cached, error) {
	stamp := r.stamp()
	result := cached{Size: stamp.Size, ModTime: stamp.ModTime, Version: c.opts.Version, Scripts: c.opts.Scripts.Key()}
	file, _, err := mapconf.Open(name)
	if err != nil {
		result.Fault, result.unread = err.Error(), unread(err)
		return result, nil
	}
	defer file.Close()
	if old, ok := c.cache.maps[r.file.File]; ok && old.Map != nil && old.usable(stamp.Size, c.opts) {
		if sum, err := crcOf(file); err == nil && sum == old.Map.CRC32 {
			old.ModTime = stamp.ModTime
			advance(int(stamp.Size))
			return old, unchanged(file, stamp)
		}
	}
	result.Map, err = w3map.Read(file, stamp.Size, r.file.File, w3map.Options{
		Version: c.opts.Version, Scripts: c.opts.Scripts, Progress: advance,
	})
	if err != nil {
		result.Fault, result.unread = err.Error(), unread(err)
		r.retry = time.Now().Add(retryLooks * c.opts.Interval)
	}
	return result, unchanged(file, stamp)
}

func unchanged(file *os.File, before stamp) error {
	info, err := file.Stat()
	if err == nil && stampOf(info) != before {
		err = errChanged
	}
	return err
}

func crcOf(r io.ReaderAt) (uint32, error) {
	h := crc32.NewIEEE()
	_, err := io.Copy(h, io.NewSectionReader(r, 0, 1<<62))
	return h.Sum32(), err
}
