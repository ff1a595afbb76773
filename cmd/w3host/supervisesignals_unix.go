//go:build unix

package main

import (
	"os"
	"syscall"
)

// supervisorSignals are the signals that serve --supervise passes on to the host process.
var supervisorSignals = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR2}
