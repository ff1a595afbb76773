//go:build !unix

package host

// tryWrite takes nothing where sockets have no non-blocking write of their
// own: everything goes through the connection's drain goroutine.
func (c *conn) tryWrite([]byte) (int, error) { return 0, nil }

func (c *conn) tryOnce(uintptr) bool { return true }
