package w3gs

import (
	"encoding/binary"
	"net/netip"
)

// sockAddrLen is family u16 LE · port u16 BE · IPv4 4 bytes · 8 zero bytes.
const sockAddrLen = 16

// familyIPv4 is AF_INET.
const familyIPv4 = 2

// SockAddr is a sockaddr_in. The zero value is "unknown" and is sent as 16
// zero bytes, which is also how a host hides its players' addresses.
type SockAddr struct {
	Port uint16
	IP   [4]byte
}

// SockAddrFrom converts an address; anything but IPv4 becomes unknown.
func SockAddrFrom(ap netip.AddrPort) SockAddr {
	addr := ap.Addr().Unmap()
	if !addr.Is4() {
		return SockAddr{}
	}
	return SockAddr{Port: ap.Port(), IP: addr.As4()}
}

// AddrPort converts back; the zero AddrPort for an unknown address.
func (a SockAddr) AddrPort() netip.AddrPort {
	if a == (SockAddr{}) {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(netip.AddrFrom4(a.IP), a.Port)
}

func (a SockAddr) appendTo(dst []byte) []byte {
	if a == (SockAddr{}) {
		return append(dst, make([]byte, sockAddrLen)...)
	}
	dst = appendU16(dst, familyIPv4)
	dst = binary.BigEndian.AppendUint16(dst, a.Port)
	dst = append(dst, a.IP[:]...)
	return append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
}

// sockAddr reads 16 bytes. Another family than IPv4 reads as unknown, and the
// last 8 bytes are whatever the client's stack left there.
func (c *cursor) sockAddr() (a SockAddr) {
	b := c.bytes(sockAddrLen)
	if b == nil || binary.LittleEndian.Uint16(b) != familyIPv4 {
		return SockAddr{}
	}
	a.Port = binary.BigEndian.Uint16(b[2:])
	copy(a.IP[:], b[4:8])
	return a
}
