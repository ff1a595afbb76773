//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package mdns

import (
	"errors"
	"syscall"
)

// Share lets other programs that ask for it hold the same UDP port. BSD systems share a plain one by
// SO_REUSEPORT.
func Share(c syscall.RawConn) (err error) {
	ctlErr := c.Control(func(fd uintptr) {
		err = errors.Join(
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEPORT, 1),
		)
	})
	return errors.Join(ctlErr, err)
}
