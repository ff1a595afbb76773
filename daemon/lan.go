package daemon

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/internal/router"
	"w3host/lan"
	"w3host/realm"
)

// LANOptions returns the options of package lan for a host that listens at listen: announcements and answers come from
// an address at which players can join.
func LANOptions(c config.Config, listen netip.AddrPort, log zerolog.Logger) lan.Options {
	port := uint16(c.LAN.Port)
	o := lan.Options{
		Broadcast:     targets(c.LAN.Broadcast, port),
		Targets:       targets(c.LAN.Targets, port),
		PushInfo:      c.LAN.PushInfo,
		Ports:         []uint16{port},
		GamePort:      listen.Port(),
		Bind:          lanAddress(listen.Addr()),
		IPv6:          strings.HasPrefix(c.Host.Listen, "["), // only if configured explicitly
		Product:       Product(c),
		Version:       uint32(c.Host.Version),
		BroadcastInfo: c.LAN.BroadcastInfo,
		Log:           log.With().Str("part", "lan").Logger(),
	}
	if slices.Contains(c.LAN.Broadcast, config.Interfaces) {
		o.InterfacePort = port
	}
	for _, v := range c.Versions() {
		o.Versions = append(o.Versions, uint32(v))
	}
	return o
}

// lanAddress returns the IPv4 address of a listener, or 0.0.0.0 for an IPv6 one. Clients support only IPv4; a listener
// on ::1 is treated as one on 127.0.0.1.
func lanAddress(listen netip.Addr) netip.Addr {
	switch addr := listen.Unmap(); {
	case addr.Is4():
		return addr
	case addr.IsLoopback():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv4Unspecified()
}

// targets parses addresses. The result is never nil, because nil would mean the default address.
func targets(addresses []string, port uint16) []netip.AddrPort {
	return parsed(addresses, func(a string) (netip.AddrPort, error) { return config.ParseTarget(a, port) })
}

// openRouter asks the router to forward the ports for joins and reconnects. Players from a realm use the port advertised
// by its section.
func (d *daemon) openRouter() error {
	if !d.Config.Host.UPnP {
		return nil
	}
	main := d.listeners.Addr().Port()
	ports := map[uint16]uint16{main: main}
	if l := d.listeners.Returns; l != nil {
		port := l.Addr().(*net.TCPAddr).AddrPort().Port()
		ports[port] = port
	}
	for _, r := range d.Config.Realms {
		if r.AdvertisePort != 0 {
			ports[uint16(r.AdvertisePort)] = main
		}
	}
	d.atEnd(noError(d.alongside(func(ctx context.Context) {
		router.Open(ctx, ports, d.handing.Load, d.part("router"))
	})))
	return nil
}

// announce starts the announcements on the LAN and on realms.
func (d *daemon) announce() error {
	c := d.Config
	if c.LAN.Enabled {
		o := LANOptions(c, d.listeners.Addr(), d.Log)
		o.Heart = &d.heart
		local, err := lan.Listen(o)
		if err != nil {
			return err
		}
		d.atEnd(noError(local.Shutdown))
		d.host.Advertiser, d.onLAN = local, local
	}
	if len(c.Realms) == 0 {
		return nil
	}
	d.onRealms = &realmCommands{
		admins: d.lists, people: d.host.People, trigger: c.Lobby.CommandTrigger,
		log: d.part("realm"), lines: make(chan realm.Speech, maxHeard),
	}
	realms, err := logOn(c, d.listeners.Addr(), d.onRealms.heard, d.Log)
	if err != nil {
		return err
	}
	d.atEnd(noError(realms.Shutdown))
	d.realms = realms
	d.host.Advertiser, d.host.Realms = advertisers{d.host.Advertiser, realms, d.Log}, realms
	return nil
}
