package mdns

import (
	"errors"
	"syscall"
)

func share(c syscall.RawConn) (err error) {
	ctlErr := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	})
	return errors.Join(ctlErr, err)
}
