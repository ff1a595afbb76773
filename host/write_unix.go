//go:build unix

package host

import (
	"errors"
	"syscall"
)

// tryWrite hands p to the kernel without ever waiting and returns how much it
// took. 0 and no error means that the socket's buffer is full.
func (c *conn) tryWrite(p []byte) (int, error) {
	c.tryBuf, c.tryN, c.tryErr = p, 0, nil
	if err := c.raw.Write(c.tryFn); err != nil {
		return 0, err
	}
	c.tryBuf = nil
	return c.tryN, c.tryErr
}

// tryOnce is the body of tryWrite; it is bound once per connection, so that a
// write allocates nothing. It always reports "done": waiting is not its job.
func (c *conn) tryOnce(fd uintptr) bool {
	n, err := syscall.Write(int(fd), c.tryBuf)
	c.tryN = max(n, 0)
	if err != nil && !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR) {
		c.tryErr = err
	}
	return true
}
