//go:build !unix

package main

import (
	"os"
	"syscall"
)

// holderSignals are the signals handled by w3host hold, which is not supported on this system.
var holderSignals = []os.Signal{syscall.SIGTERM}
