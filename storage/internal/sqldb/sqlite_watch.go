package sqldb

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// watchEvery is how soon a change made by another process is seen.
	watchEvery = time.Second
	// watchAnyway is how often the file is looked at where the system tells of
	// changes: some network file systems do not tell of what others write.
	watchAnyway = time.Minute
)

// Watch looks at the counters of migration 2, at once after a write of this
// process, else when the system tells of a change of the file, or every second
// where it cannot.
func (s *liteDB) Watch(ctx context.Context, changed func(string) error) error {
	wake := make(chan struct{}, 1)
	s.mu.Lock()
	s.watchers[wake] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watchers, wake)
		s.mu.Unlock()
	}()
	on, err := s.file.Load().read.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer on.Close()
	every := watchAnyway
	files, stop, err := s.fileNews()
	if err != nil {
		every = watchEvery
	}
	defer stop()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	state := changes{version: -1}
	for {
		if s.moved() {
			return ErrMoved
		}
		tables, err := state.look(ctx, lite(on))
		if err != nil {
			return s.explain(err)
		}
		for _, t := range tables {
			if err := changed(t); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		case <-ticker.C:
		case <-files:
			// Writes come in crowds, and this process makes most of them.
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-wake:
			case <-time.After(watchEvery / 2):
			}
		}
	}
}

// changes is what was last seen of a database.
type changes struct {
	version  int64            // of the file, as one connection sees it
	counters map[string]int64 // by table; nil before the first look
}

// look tells the tables that have changed since the last look; the first time
// an empty name.
func (c *changes) look(ctx context.Context, q conn) (tables []string, err error) {
	version, err := One[int64](ctx, q, "PRAGMA data_version")
	if err != nil || version == c.version {
		return nil, err
	}
	now, err := List[struct {
		Table string
		N     int64
	}](ctx, q, "SELECT topic, counter FROM changes")
	if err != nil {
		return nil, err
	}
	first := c.counters == nil
	if first {
		c.counters, tables = map[string]int64{}, []string{""}
	}
	for _, t := range now {
		if !first && c.counters[t.Table] != t.N {
			tables = append(tables, t.Table)
		}
		c.counters[t.Table] = t.N
	}
	c.version = version
	return tables, nil
}

// fileNews holds a token when the file, or its write-ahead log, has changed.
func (s *liteDB) fileNews() (news <-chan struct{}, stop func(), err error) {
	stop = func() {}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, stop, err
	}
	dir, base := filepath.Split(s.path)
	if err := w.Add(cmp.Or(dir, ".")); err != nil {
		return nil, stop, errors.Join(err, w.Close())
	}
	tokens := make(chan struct{}, 1)
	go func() { // ends with stop
		for {
			select {
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if !strings.HasPrefix(filepath.Base(e.Name), base) {
					continue
				}
			case _, ok := <-w.Errors: // the queue has overflowed: anything may have changed
				if !ok {
					return
				}
			}
			select {
			case tokens <- struct{}{}:
			default:
			}
		}
	}()
	return tokens, func() { _ = w.Close() }, nil
}

// notify wakes the watchers of this process.
func (s *liteDB) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		select {
		case w <- struct{}{}:
		default: // awake already
		}
	}
}
