package bots

// polled is what an epoll loop keeps with a player.
type polled struct{}

func newDriver(r *run) (driver, error) { return newStreams(r), nil }
