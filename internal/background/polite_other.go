//go:build !linux

package background

// Run calls do; this system does not support low-priority threads.
func Run(do func()) { do() }

// Prompt does nothing; this system does not support time slices per thread.
func Prompt() {}
