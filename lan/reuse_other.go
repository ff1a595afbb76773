//go:build !linux

package lan

import (
	"net"
	"net/netip"
	"syscall"
	"time"

	"w3host/lan/mdns"
)

// shareAddr allows other programs to share the UDP port.
func shareAddr(_, _ string, c syscall.RawConn) error { return mdns.Share(c) }

// sharePort is the same as shareAddr; only Linux distinguishes them.
var sharePort = shareAddr

// destinationSize is zero: the system chooses the source address of answers.
const destinationSize = 0

func readFrom(conn *net.UDPConn, buf, _ []byte) (size, n int, from netip.AddrPort, err error) {
	size, from, err = conn.ReadFromUDPAddrPort(buf)
	return size, 0, from, err
}

// writeTo sends a datagram. It waits up to writeTimeout if the socket buffer is full.
func writeTo(conn *net.UDPConn, d, _ []byte, to netip.AddrPort) error {
	if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := conn.WriteToUDPAddrPort(d, to)
	return err
}

// searchesOnly does nothing: handle drops datagrams that are not searches.
func searchesOnly(*net.UDPConn) {}
