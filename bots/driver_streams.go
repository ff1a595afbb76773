//go:build !linux || !(amd64 || arm64)

package bots

// polled is empty on systems without epoll.
type polled struct{}

func newDriver(r *run) (driver, error) { return newStreams(r), nil }
