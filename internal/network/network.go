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

// Base is the first address of that network, by which limits count a subscriber.
func Base(addr netip.Addr) netip.Addr { return Of(addr).Addr() }
