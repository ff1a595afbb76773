//go:build !linux

package bots

func openPoller(l *loop) (poller, error) { return openPipes(l) }
