package mdns

import (
	"errors"
	"syscall"
)

// Share lets other programs that ask for it hold the same UDP port.
func Share(c syscall.RawConn) (err error) {
	ctlErr := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	})
	return errors.Join(ctlErr, err)
}
