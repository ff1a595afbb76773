//go:build unix

package main

import (
	"os"
	"syscall"
)

// holderSignals are for w3host hold.
var holderSignals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR2}
