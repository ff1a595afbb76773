package sqldb

import (
	"context"
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
// process, else when the system tells of a change of the file or its write-ahead
// log, or every second where it cannot.
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
	var events <-chan fsnotify.Event
	var overflows <-chan error // of the system's queue: anything may have changed
	every := watchEvery
	if w, err := fsnotify.NewWatcher(); err == nil {
		defer w.Close()
		if w.Add(filepath.Dir(s.path)) == nil {
			every, events, overflows = watchAnyway, w.Events, w.Errors
		}
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var soon <-chan time.Time // writes come in crowds, and this process makes most of them
	var state changes
	for look := true; ; {
		if look {
			soon = nil
			tables, err := s.look(ctx, lite(on), &state)
			if err != nil {
				return err
			}
			for _, t := range tables {
				if err := changed(t); err != nil {
					return err
				}
			}
		}
		look = true
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		case <-ticker.C:
		case <-soon:
		case e := <-events:
			if look = false; soon == nil && strings.HasPrefix(filepath.Base(e.Name), filepath.Base(s.path)) {
				soon = time.After(watchEvery / 2)
			}
		case <-overflows:
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
func (s *liteDB) look(ctx context.Context, q conn, seen *changes) (tables []string, err error) {
	if s.moved() {
		return nil, ErrMoved
	}
	version, err := One[int64](ctx, q, "PRAGMA data_version")
	if err != nil || version == seen.version && seen.counters != nil {
		return nil, s.explain(err)
	}
	now, err := List[struct {
		Table string
		N     int64
	}](ctx, q, "SELECT topic, counter FROM changes")
	if err != nil {
		return nil, s.explain(err)
	}
	first := seen.counters == nil
	if first {
		seen.counters, tables = map[string]int64{}, []string{""}
	}
	for _, t := range now {
		if !first && seen.counters[t.Table] != t.N {
			tables = append(tables, t.Table)
		}
		seen.counters[t.Table] = t.N
	}
	seen.version = version
	return tables, nil
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
