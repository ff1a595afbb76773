//go:build !unix

package main

import (
	"os"
	"syscall"
)

// holderSignals are for w3host hold, which there does nothing.
var holderSignals = []os.Signal{syscall.SIGTERM}
