package w3gs

import (
	"encoding/binary"
	"net/netip"
)

// sockAddrLen is the length of a sockaddr_in: family u16 little-endian · port u16 big-endian · IPv4 address 4
// bytes · 8 zero bytes.
const sockAddrLen = 16

// familyIPv4 is AF_INET.
const familyIPv4 = 2

// SockAddr is an IPv4 address and port. The zero value means unknown; hosts send it to hide players'
// addresses.
type SockAddr struct {
	Port uint16
	IP   [4]byte
}

// SockAddrFrom converts an address; any address but IPv4 becomes the zero SockAddr.
func SockAddrFrom(ap netip.AddrPort) SockAddr {
	addr := ap.Addr().Unmap()
	if !addr.Is4() {
		return SockAddr{}
	}
	return SockAddr{Port: ap.Port(), IP: addr.As4()}
}

// sockAddr is a 16-byte sockaddr_in. When reading, other address families yield the zero SockAddr, and the
// last 8 bytes are ignored because some clients leave garbage there.
func (c *codec) sockAddr(a *SockAddr) *codec {
	if c.reading {
		b := c.take(sockAddrLen)
		if *a = (SockAddr{}); b != nil && binary.LittleEndian.Uint16(b) == familyIPv4 {
			*a = SockAddr{binary.BigEndian.Uint16(b[2:]), [4]byte(b[4:])}
		}
		return c
	}
	var b [sockAddrLen]byte
	if *a != (SockAddr{}) {
		b[0] = familyIPv4
		binary.BigEndian.PutUint16(b[2:], a.Port)
		copy(b[4:], a.IP[:])
	}
	c.b = append(c.b, b[:]...)
	return c
}
