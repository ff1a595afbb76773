//go:build !linux

// Package boottime provides a clock that advances while the computer sleeps and is never adjusted, on systems
// that have one. Package daemon times the leases of a fleet with it.
package boottime

import "time"

var began = time.Now()

// Now returns the time since the program started. It may not advance while the computer sleeps.
func Now() time.Duration { return time.Since(began) }
