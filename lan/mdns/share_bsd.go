//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package mdns

import (
	"errors"
	"syscall"
)

// Share sets the options under which programs can share a UDP port. BSD systems require SO_REUSEPORT for that.
func Share(c syscall.RawConn) (err error) {
	ctlErr := c.Control(func(fd uintptr) {
		err = errors.Join(
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEPORT, 1),
		)
	})
	return errors.Join(ctlErr, err)
}
