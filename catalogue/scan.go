package catalogue

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"w3host/mapconf"
	"w3host/w3map"
)

// errChanged says that a file was written while it was read.
var errChanged = errors.New("the file is being written")

// found is a map file in the folder.
type found struct {
	file   string
	stamp  stamp
	info   fs.FileInfo
	beside stamp // of <map>.toml
}

// Scan looks at the folder once and reads what is new or changed. It says whether anything was.
func (c *Catalogue) Scan(ctx context.Context) (news bool, err error) {
	c.scanning.Lock()
	defer c.scanning.Unlock()
	files, err := c.list(ctx)
	if err != nil {
		return false, err
	}
	next := make(map[string]*record, len(files))
	var unread []found
	for _, f := range files {
		old := c.known[f.file]
		switch same := old != nil && old.stamp() == f.stamp; {
		case same && old.beside == f.beside:
			next[f.file] = old
		case !same && c.tooFresh(f): // until then, the map is not there
		default:
			delete(c.pending, f.file)
			unread = append(unread, f)
		}
	}
	read, err := c.readAll(ctx, unread)
	if err != nil {
		return false, err
	}
	for i, r := range read {
		if r == nil {
			c.pending[unread[i].file] = unread[i].stamp
			continue
		}
		next[unread[i].file] = r
		news = true
	}
	for file := range c.known {
		news = news || next[file] == nil
	}
	c.publish(next)
	if news {
		c.report(c.cache.save(next))
	}
	return news, nil
}

func (r *record) stamp() stamp { return stamp{r.entry.Size, r.entry.ModTime.UnixNano()} }

// tooFresh says whether a file may still be growing: it was written just now, or has changed since the last look.
func (c *Catalogue) tooFresh(f found) bool {
	before, seen := c.pending[f.file]
	age := time.Since(f.info.ModTime())
	if age < 0 || age >= c.opts.Settle { // a time to come is a clock that is wrong
		if !seen || before == f.stamp {
			return false
		}
	}
	c.pending[f.file] = f.stamp
	return true
}

// walk visits all files in a folder and below it, but for hidden ones. An io/fs would leave out the names that are not
// UTF-8. The error is about the folder itself, or the context's.
func (c *Catalogue) walk(ctx context.Context, folder string, visit func(name string)) error {
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
			if err := c.walk(ctx, name, visit); err != nil && ctx.Err() == nil {
				c.report(err)
			}
		}
	}
	return ctx.Err()
}

// list finds the map files, by name.
func (c *Catalogue) list(ctx context.Context) ([]found, error) {
	var files []found
	besides := map[string]stamp{}
	err := c.walk(ctx, "", func(name string) {
		ext := strings.ToLower(path.Ext(name))
		if ext != ".w3x" && ext != ".w3m" && ext != ".toml" {
			return
		}
		info, err := os.Stat(filepath.Join(c.dir, filepath.FromSlash(name))) // of what a link leads to
		switch {
		case err != nil || info.IsDir(): // gone again
		case ext == ".toml":
			besides[name] = stampOf(info)
		default:
			files = append(files, found{file: name, stamp: stampOf(info), info: info})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("map folder %s: %w", c.dir, err)
	}
	for i := range files {
		files[i].beside = besides[w3map.ConfigName(files[i].file)]
	}
	for file := range c.pending {
		if !slices.ContainsFunc(files, func(f found) bool { return f.file == file }) {
			delete(c.pending, file)
		}
	}
	slices.SortFunc(files, func(a, b found) int { return strings.Compare(a.file, b.file) })
	return files, nil
}

// readAll reads files with several goroutines. A record is nil if the file changed meanwhile.
func (c *Catalogue) readAll(ctx context.Context, files []found) ([]*record, error) {
	var total int64
	for _, f := range files {
		total += f.stamp.Size
	}
	var done, next atomic.Int64
	advance := func(n int) {
		sum := done.Add(int64(n))
		if c.opts.Progress != nil {
			c.opts.Progress(sum, total)
		}
	}
	records := make([]*record, len(files))
	var workers sync.WaitGroup
	for range min(len(files), c.readers) {
		workers.Go(func() { // ends when the files are read, or with the context
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				records[i] = c.read(files[i], advance)
			}
		})
	}
	workers.Wait()
	return records, ctx.Err()
}

func (c *Catalogue) read(f found, advance func(int)) *record {
	r := &record{
		entry:  &Entry{File: f.file, Size: f.stamp.Size, ModTime: f.info.ModTime()},
		beside: f.beside,
	}
	file := c.Path(r.entry)
	base, ok := c.cache.get(f.file, f.stamp, c.opts)
	if !ok {
		var err error
		if base, err = c.readFile(file, f, advance); err != nil {
			return nil
		}
	} else {
		advance(int(f.stamp.Size))
	}
	r.base = base
	r.apply(w3map.ConfigName(file))
	return r
}

// readFile reads a map, or finds that it is what the cache has under another time.
func (c *Catalogue) readFile(name string, f found, advance func(int)) (cached, error) {
	result := cached{Size: f.stamp.Size, ModTime: f.stamp.ModTime, Version: c.opts.Version, Scripts: c.opts.Scripts.Key()}
	file, _, err := mapconf.Open(name)
	if err != nil {
		result.Fault = err.Error()
		return result, nil
	}
	defer file.Close()
	if old, ok := c.cache.maps[f.file]; ok && old.Map != nil && old.usable(f.stamp.Size, c.opts) {
		if sum, err := crcOf(file); err == nil && sum == old.Map.CRC32 {
			old.ModTime = f.stamp.ModTime
			advance(int(f.stamp.Size))
			return old, unchanged(file, f.stamp)
		}
	}
	result.Map, err = w3map.Read(file, f.stamp.Size, f.file, w3map.Options{
		Version: c.opts.Version, Scripts: c.opts.Scripts, Progress: advance,
	})
	if err != nil {
		result.Fault = err.Error()
	}
	return result, unchanged(file, f.stamp)
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

// publish makes the records what others see.
func (c *Catalogue) publish(records map[string]*record) {
	entries := make([]*Entry, 0, len(records))
	for _, r := range records {
		entries = append(entries, r.entry)
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return strings.Compare(a.File, b.File) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.known = entries, records
}
