// Package network groups IP addresses by subscriber, for limits and bans: a single IPv4 address, or an IPv6
// /64, which every line gets at least (RFC 6177). Everything that limits or bans addresses uses it.
package network

import "net/netip"

// Of returns the network of an address's subscriber: /32, or /64 for IPv6. It is invalid for an invalid
// address.
func Of(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits)
	return p
}

// Wide returns the first address of the larger network around a subscriber's, which one customer often has
// entirely: /24, or /48 for IPv6. It is invalid for private addresses, which belong to a household, a company
// or a container bridge.
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

// Base returns the first address of Of(addr), which serves as the subscriber's key in limits.
func Base(addr netip.Addr) netip.Addr { return Of(addr).Addr() }
