package web

import (
	"context"

	"w3host/internal/background"
)

// Places bound how many do something at once.
type Places chan struct{}

// Take does something when there is a place; false: the caller did not wait for one.
func (p Places) Take(ctx context.Context, do func()) bool {
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
	places  Places
	threads *background.Threads
}

func newWorker() worker { return worker{make(Places, 1), background.New()} }

// Work calls do on a background thread of the server, one call at a time, and returns true when do has returned.
// It returns false without a call if ctx ends first.
func (s *Server) Work(ctx context.Context, do func()) bool {
	return s.worker.places.Take(ctx, func() { s.worker.threads.Do(do) })
}
