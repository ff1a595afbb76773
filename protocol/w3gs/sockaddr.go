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

// sockAddr is 16 bytes. Another family than IPv4 reads as unknown, and the last 8
// bytes are whatever the client's stack left there.
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
