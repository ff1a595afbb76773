//go:build !linux

// Package boottime is a clock that nobody sets and that counts while the machine sleeps, where
// the system has one.
package boottime

import "time"

var began = time.Now()

// Now is the time since the program was started. It may stand still while the machine sleeps.
func Now() time.Duration { return time.Since(began) }
