//go:build !linux

package background

// Run calls do; this system does not support low-priority threads.
func Run(do func()) { do() }
