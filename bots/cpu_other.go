//go:build !unix

package bots

import (
	"syscall"
	"time"
)

// cpuTime is not measured here.
func cpuTime() time.Duration { return 0 }

func smallReceiveBuffer(string, string, syscall.RawConn) error { return nil }
