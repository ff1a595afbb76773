//go:build !linux

package lan

import (
	"net"
	"net/netip"
	"syscall"

	"w3host/lan/mdns"
)

// shareAddr lets other programs that ask for it hold the same UDP port.
func shareAddr(_, _ string, c syscall.RawConn) error { return mdns.Share(c) }

// sharePort is the other way to share a port, which only Linux tells apart.
var sharePort = shareAddr

// destinationSize is zero: the system chooses where answers leave from.
const destinationSize = 0

func readFrom(conn *net.UDPConn, buf, _ []byte) (size, n int, from netip.AddrPort, err error) {
	size, from, err = conn.ReadFromUDPAddrPort(buf)
	return size, 0, from, err
}

func writeTo(conn *net.UDPConn, d, _ []byte, to netip.AddrPort) error {
	_, err := conn.WriteToUDPAddrPort(d, to)
	return err
}
