package lan

import "syscall"

func clearShareAddr(c syscall.RawConn) error {
	return setInts(c, [3]int{syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0})
}
