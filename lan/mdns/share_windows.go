package mdns

import (
	"errors"
	"syscall"
)

// Share sets the option under which programs can share a UDP port.
func Share(c syscall.RawConn) (err error) {
	ctlErr := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	})
	return errors.Join(ctlErr, err)
}
