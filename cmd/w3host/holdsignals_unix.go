//go:build unix

package main

import (
	"os"
	"syscall"
)

// holderSignals are the signals that w3host hold passes on to the host process.
var holderSignals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR2}
