//go:build !unix

package host

import "testing"

// raiseFileLimit has nothing to do where sockets are not files.
func raiseFileLimit(*testing.T, uint64) {}
