//go:build !linux

package background

// Run does something.
func Run(do func()) { do() }
