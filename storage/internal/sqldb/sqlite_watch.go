package sqldb

import (
	"cmp"
	"context"
	"database/sql"
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
	conn, err := s.file.Load().read.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer conn.Close()
	every := watchAnyway
	files, stop, err := s.fileNews()
	if err != nil {
		every = watchEvery
	}
	defer stop()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	version, counters := int64(-1), map[string]int64(nil)
	for {
		if s.moved() {
			return ErrMoved
		}
		var now int64
		if err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&now); err != nil {
			return s.explain(err)
		}
		if now != version {
			version = now
			before := counters
			if counters, err = s.counters(ctx, conn); err != nil {
				return err
			}
			if err := compare(before, counters, changed); err != nil {
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

func (s *liteDB) counters(ctx context.Context, conn *sql.Conn) (map[string]int64, error) {
	rows, err := conn.QueryContext(ctx, "SELECT topic, counter FROM changes")
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	all := map[string]int64{}
	for rows.Next() {
		var table string
		var n int64
		if err := rows.Scan(&table, &n); err != nil {
			return nil, s.explain(err)
		}
		all[table] = n
	}
	return all, s.explain(rows.Err())
}

func compare(before, now map[string]int64, changed func(string) error) error {
	if before == nil {
		return changed("")
	}
	for table, n := range now {
		if before[table] == n {
			continue
		}
		if err := changed(table); err != nil {
			return err
		}
	}
	return nil
}

// tell wakes the watchers of this process.
func (s *liteDB) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		select {
		case w <- struct{}{}:
		default: // awake already
		}
	}
}
