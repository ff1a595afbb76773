package lan

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// shareAddr lets other programs that ask for it hold the same UDP port, and
// makes every datagram tell the address it was sent to.
func shareAddr(_, _ string, c syscall.RawConn) error {
	return setInts(c, [3]int{syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1}, [3]int{syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1})
}

// sharePort is for a port that is held by a program which asked for this kind
// of sharing instead: the kernel wants the same from both. Both then have to
// run as the same user.
func sharePort(network, address string, c syscall.RawConn) error {
	return errors.Join(shareAddr(network, address, c), setInts(c, [3]int{syscall.SOL_SOCKET, unix.SO_REUSEPORT, 1}))
}

func setInts(c syscall.RawConn, options ...[3]int) (err error) {
	ctlErr := c.Control(func(fd uintptr) {
		for _, o := range options {
			err = errors.Join(err, syscall.SetsockoptInt(int(fd), o[0], o[1], o[2]))
		}
	})
	return errors.Join(ctlErr, err)
}

// destinationSize is the length of the message that says where a datagram was
// sent to.
var destinationSize = syscall.CmsgSpace(syscall.SizeofInet4Pktinfo)

// readFrom reads a datagram. The message that it puts into control, cut to n, sends an
// answer from the address that was asked.
func readFrom(conn *net.UDPConn, buf, control []byte) (size, n int, from netip.AddrPort, err error) {
	size, n, _, from, err = conn.ReadMsgUDPAddrPort(buf, control)
	if n != destinationSize {
		return size, 0, from, err
	}
	// The index of the interface stays out: the route to the asker decides.
	info := (*syscall.Inet4Pktinfo)(unsafe.Pointer(&control[syscall.CmsgLen(0)]))
	info.Ifindex = 0
	return size, n, from, err
}

// writeTo sends a datagram from the address that control names, if it does.
func writeTo(conn *net.UDPConn, d, control []byte, to netip.AddrPort) error {
	_, _, err := conn.WriteMsgUDPAddrPort(d, control, to)
	return err
}
