//go:build !unix

package main

import (
	"os"
	"syscall"
)

// supervisorSignals are the signals handled by serve --supervise, which is not supported on this system.
var supervisorSignals = []os.Signal{syscall.SIGTERM}
