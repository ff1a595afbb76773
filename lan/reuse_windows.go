package lan

import (
	"errors"
	"syscall"
)

// shareAddr lets other programs that ask for it hold the same UDP port.
func shareAddr(_, _ string, c syscall.RawConn) (err error) {
	ctlErr := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	})
	return errors.Join(ctlErr, err)
}
