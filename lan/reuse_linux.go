package lan

import "syscall"

// shareAddr lets other programs that ask for it hold the same UDP port.
func shareAddr(_, _ string, c syscall.RawConn) error {
	var err error
	if ctlErr := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}); ctlErr != nil {
		return ctlErr
	}
	return err
}
