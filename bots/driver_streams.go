//go:build !linux || !(amd64 || arm64)

package bots

// polled is nothing where the epoll loops are not used.
type polled struct{}

func newDriver(r *run) (driver, error) { return newStreams(r), nil }
