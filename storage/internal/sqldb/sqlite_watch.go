package sqldb

import (
	"context"
	"time"

	"w3host/internal/heartbeat"
)

// watchEvery is how soon a change made by another process is seen. A look takes some
// microseconds while nothing has changed.
const watchEvery = time.Second

// Watch looks at the counters of bans and admins, at once after a write of this
// process, and at each beat.
func (s *liteDB) Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error {
	on, err := s.read.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer on.Close()
	beats, stop := heart.Listen(watchEvery)
	defer stop()
	for seen := (seen{-1, -1}); ; {
		s.mu.Lock()
		written := s.written
		s.mu.Unlock()
		news, err := s.poll(ctx, lite(on), &seen)
		if err == nil && news {
			err = changed()
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-written:
		case <-beats:
		}
	}
}

// seen is the version of the file, as one connection sees it, and the sum of the
// counters.
type seen struct{ version, sum int64 }

// poll reports whether the counters have changed since the last look.
func (s *liteDB) poll(ctx context.Context, q conn, last *seen) (news bool, err error) {
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
	close(s.written)
	s.written = make(chan struct{})
}
