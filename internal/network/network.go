// Package network says which addresses are those of one subscriber: one of IPv4, or the
// 2^64 of a network of IPv6 that every line is given at least (RFC 6177).
package network

import "net/netip"

// Of is the network of an address's subscriber: /32, or /64 in IPv6. It is invalid for an
// invalid address.
func Of(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits)
	return p
}

// Wide is the first address of the network around a subscriber's: /24, or /48 in IPv6, of which one customer often has
// all. It is invalid for private addresses, whose networks are those of a household, a company or a bridge of containers.
func Wide(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	bits := 24
	if addr.Is6() {
		bits = 48
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return netip.Addr{}
	}
	p, _ := addr.Prefix(bits)
	return p.Addr()
}

// Base is the first address of that network, by which limits count a subscriber.
func Base(addr netip.Addr) netip.Addr { return Of(addr).Addr() }
