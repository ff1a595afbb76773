package daemon

import (
	"net/netip"
	"slices"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/lan"
)

// LANOptions makes announcements and answers come from where players can join.
func LANOptions(c config.Config, listen netip.AddrPort, log zerolog.Logger) lan.Options {
	port := uint16(c.LAN.Port)
	o := lan.Options{
		Broadcast:     targets(c.LAN.Broadcast, port),
		Targets:       targets(c.LAN.Targets, port),
		PushInfo:      c.LAN.PushInfo,
		Ports:         []uint16{port},
		GamePort:      listen.Port(),
		Bind:          lanAddress(listen.Addr()),
		Product:       Product(c),
		Version:       uint32(c.Host.Version),
		BroadcastInfo: c.LAN.BroadcastInfo,
		Log:           log.With().Str("part", "lan").Logger(),
	}
	if slices.Contains(c.LAN.Broadcast, config.Interfaces) {
		o.InterfacePort = port
	}
	for _, v := range c.LAN.Versions {
		o.Versions = append(o.Versions, uint32(v))
	}
	return o
}

// lanAddress is the IPv4 address of a listener, all of them for one that takes
// IPv6 as well. Clients speak IPv4 only: a listener on ::1 is as little there
// for the network as one on 127.0.0.1.
func lanAddress(listen netip.Addr) netip.Addr {
	switch addr := listen.Unmap(); {
	case addr.Is4():
		return addr
	case addr.IsLoopback():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv4Unspecified()
}

// targets is never nil: no address means no announcement, not the default one.
func targets(addresses []string, port uint16) []netip.AddrPort {
	list := make([]netip.AddrPort, 0, len(addresses))
	for _, a := range addresses {
		if target, err := config.ParseTarget(a, port); err == nil {
			list = append(list, target)
		}
	}
	return list
}
