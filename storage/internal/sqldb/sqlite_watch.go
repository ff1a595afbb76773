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
	// watchAnyway is how often the file is looked at where the system notifies of
	// changes: some network file systems do not, of what others write.
	watchAnyway = time.Minute
)

// Watch looks at the counters of bans and admins, at once after a write of this
// process, else when the system notifies of a change of the file or its write-ahead
// log, or every second where it cannot.
func (s *liteDB) Watch(ctx context.Context, changed func() error) error {
	wake := make(chan struct{}, 1)
	s.mu.Lock()
	s.watchers[wake] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watchers, wake)
		s.mu.Unlock()
	}()
	on, err := s.read.Conn(ctx)
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
	seen := seen{-1, -1}
	for look := true; ; {
		if look {
			soon = nil
			switch news, err := s.look(ctx, lite(on), &seen); {
			case err != nil:
				return err
			case news:
				if err := changed(); err != nil {
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

// seen is the version of the file, as one connection sees it, and the sum of the
// counters.
type seen struct{ version, sum int64 }

// look reports whether the counters have changed since the last look.
func (s *liteDB) look(ctx context.Context, q conn, last *seen) (news bool, err error) {
	if err := s.moved(); err != nil {
		return false, err
	}
	version, err := One[int64](ctx, q, "PRAGMA data_version")
	if err != nil || version == last.version {
		return false, s.explain(err)
	}
	sum, err := One[int64](ctx, q, "SELECT coalesce(sum(counter), 0) FROM changes")
	if err != nil {
		return false, s.explain(err)
	}
	news = sum != last.sum
	*last = seen{version, sum}
	return news, nil
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
