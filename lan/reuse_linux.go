package lan

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"w3host/protocol/w3gs"
)

// shareAddr allows other programs to share the UDP port, and makes each datagram report the address it was sent to.
func shareAddr(_, _ string, c syscall.RawConn) error {
	return setInts(c, [3]int{syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1}, [3]int{syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1})
}

// sharePort is for a port held by a program that uses SO_REUSEPORT; the kernel requires the same option from both
// programs, and that they run as the same user.
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

// destinationSize is the length of the control message with the destination address.
var destinationSize = syscall.CmsgSpace(syscall.SizeofInet4Pktinfo)

// readFrom reads a datagram. control[:n] is the control message that sends an answer from the queried address.
func readFrom(conn *net.UDPConn, buf, control []byte) (size, n int, from netip.AddrPort, err error) {
	size, n, _, from, err = conn.ReadMsgUDPAddrPort(buf, control)
	if n != destinationSize {
		return size, 0, from, err
	}
	// Clear the interface index, so that the route to the client decides.
	info := (*syscall.Inet4Pktinfo)(unsafe.Pointer(&control[syscall.CmsgLen(0)]))
	info.Ifindex = 0
	return size, n, from, err
}

// writeTo sends a datagram from the address in control, if there is one. It waits up to writeTimeout if the socket
// buffer is full, and sets a deadline only then, because the timer of a deadline wakes a thread and this is called every
// few seconds.
func writeTo(conn *net.UDPConn, d, control []byte, to netip.AddrPort) error {
	if raw, err := conn.SyscallConn(); err == nil && to.Addr().Is4() {
		var sent error
		err := raw.Control(func(fd uintptr) {
			sent = unix.Sendmsg(int(fd), d, control, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())}, unix.MSG_DONTWAIT)
		})
		if err == nil && sent == nil {
			return nil
		}
	}
	if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, _, err := conn.WriteMsgUDPAddrPort(d, control, to)
	return err
}

// searchesOnly makes the kernel drop Warcraft III datagrams that are not searches, such as announcements of this and
// other hosts, because each would wake a thread. Datagrams of other protocols still arrive, since handle answers mDNS
// questions. Without the filter handle drops them.
func searchesOnly(conn *net.UDPConn) {
	const loadByte, ifEqual, end = unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	const header, all = 8, 1 << 16 // UDP header length; maximum length of accepted datagrams
	filter := []unix.SockFilter{
		{Code: loadByte, K: header},
		{Code: ifEqual, Jf: 2, K: w3gs.Magic},
		{Code: loadByte, K: header + 1},
		{Code: ifEqual, Jf: 1, K: uint32(w3gs.OpSearchGame)},
		{Code: end, K: all},
		{Code: end, K: 0},
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	})
}
