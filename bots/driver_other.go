//go:build !linux

package bots

// polled is nothing where there is no epoll.
type polled struct{}

func newDriver(r *run) (driver, error) { return newStreams(r), nil }
