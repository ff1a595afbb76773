package sqldb

import (
	"context"
	"sync"
	"time"

	"w3host/internal/heartbeat"
)

const (
	// watchEvery is the time within which changes by other processes are noticed.
	watchEvery = time.Second
	// watchAnyway is the longest time without a check, for file systems that do not report changes.
	watchAnyway = 30 * time.Second
)

// Watch compares the change counters of bans and admins: immediately after a write of this process, and at a
// heartbeat if the file may have changed since the last check.
func (s *liteDB) Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error {
	on, err := s.read.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer on.Close()
	var mu sync.Mutex // guards looked and changes; the goroutine of the heartbeat does not wait for it
	var looked time.Time
	changes := watchFile()
	beats, stop := heart.ListenWhen(watchEvery, func() bool {
		if !mu.TryLock() {
			return false // a check is about to start
		}
		defer mu.Unlock()
		return changes.seen() || time.Since(looked) >= watchAnyway
	})
	defer changes.close()
	defer stop()
	for seen := (seen{-1, -1}); ; {
		mu.Lock()
		looked = time.Now()
		changes.arm(s.path)
		mu.Unlock()
		s.mu.Lock()
		written := s.written
		s.mu.Unlock()
		news, err := s.poll(context.WithoutCancel(ctx), lite(on), &seen) // a context that can end costs a goroutine
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

// seen is the file's data version as seen by one connection, and the sum of the change counters.
type seen struct{ version, sum int64 }

// poll reports whether the counters have changed since the last call.
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
