package web

import (
	"context"

	"w3host/internal/background"
)

// Semaphore limits how many functions run at the same time, to its capacity.
type Semaphore chan struct{}

// Take runs do once there is a free place. It returns false without running it if ctx ends first.
func (p Semaphore) Take(ctx context.Context, do func()) bool {
	select {
	case p <- struct{}{}:
		defer func() { <-p }()
		do()
		return true
	case <-ctx.Done():
		return false
	}
}

// worker runs one CPU-bound function at a time on a background thread: the rendering of a page, the check of a
// password. The other cores stay free for the games, however many requests arrive.
type worker struct {
	places  Semaphore
	threads *background.Threads
}

func newWorker() worker { return worker{make(Semaphore, 1), background.New()} }

// Work calls do on a background thread of the server, one call at a time, and returns true when do has returned.
// It returns false without a call if ctx ends first.
func (s *Server) Work(ctx context.Context, do func()) bool {
	return s.worker.places.Take(ctx, func() { s.worker.threads.Do(do) })
}
