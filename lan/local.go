package lan

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"w3host/protocol/w3gs"
)

// Clients of 3.0 broadcast a 0x2F to LocalPort, each from the first free UDP port from there on, and accept every 0x30
// sent to their own port. They do not use 0x31, 0x32 and 0x33.
const (
	// LocalPort is the UDP port to which clients of 3.0 send searches.
	LocalPort = 16000
	// localPorts is the number of ports from LocalPort on to which lobbies are announced.
	localPorts = 8
	// localInterval is the interval of announcements to clients of 3.0.
	localInterval = time.Second
)

// localAddrs returns the possible ports of clients on a machine.
func (o *Options) localAddrs(at netip.Addr) (list []netip.AddrPort) {
	for n := range uint16(localPorts) {
		list = append(list, netip.AddrPortFrom(at, o.localPort+n))
	}
	return list
}

// localTargets returns the addresses of possible 3.0 clients: on this machine and on the targets.
func (o *Options) localTargets() (list []netip.AddrPort) {
	here := o.Bind
	if here.IsUnspecified() {
		here = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	list = o.localAddrs(here)
	for _, to := range o.Targets {
		list = append(list, o.localAddrs(to.Addr())...)
	}
	return unique(list)
}

// tell adds to p the 0x30 for clients of 3.0 if the lobby is new, has changed or is due.
func (b *board) tell(l *lobby, now time.Time, p *post) {
	if l.told && !l.changed && now.Before(l.nextTold) {
		return
	}
	infos := l.infos(b.opts, now, w3gs.DiscoveryLocal)
	p.local = append(p.local, infos...)
	for _, e := range l.also {
		for _, to := range b.opts.localAddrs(e.to.Addr()) {
			p.add(to, infos...)
		}
	}
	l.told, l.nextTold = true, l.after(now, localInterval)
}

// openLocal starts listening for searches of 3.0 clients. The port is not shared: a client that finds it taken uses the
// next one, and only its holder receives searches.
func (a *Advertiser) openLocal() {
	if a.local || a.stopped {
		return
	}
	a.local = true
	p := &port{bind: a.opts.Bind, number: a.opts.localPort, alone: true}
	a.ports = append(a.ports, p)
	a.readers.Go(func() { a.serve(p) }) // ends with Shutdown
}

// listenAlone opens a UDP socket on a port that no other program can share.
func listenAlone(addr netip.Addr, number uint16) (*net.UDPConn, error) {
	pc, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp4", netip.AddrPortFrom(addr, number).String())
	if err != nil {
		return nil, fmt.Errorf("cannot open UDP port %d: %w", number, err)
	}
	return pc.(*net.UDPConn), nil
}

// listenLocal opens a socket for announcements to 3.0 clients on the last of their ports that is free, which leaves the
// first ones to games. It returns nil if none is free.
func listenLocal(first uint16) *net.UDPConn {
	for n := uint16(localPorts); n > 0; n-- {
		if conn, err := listenAlone(netip.IPv4Unspecified(), first+n-1); err == nil {
			return conn
		}
	}
	return nil
}

// onWire encodes a search with the version number that clients send.
func onWire(search w3gs.SearchGame) []byte {
	search.Version = w3gs.Version(search.Version).LANNumber()
	return search.AppendTo(nil)
}

// fromWire converts the version number in a received packet.
func fromWire(p w3gs.Packet) {
	switch p := p.(type) {
	case *w3gs.GameInfo:
		p.Version = uint32(w3gs.VersionOnLAN(p.Version))
	case *w3gs.SearchGame:
		p.Version = uint32(w3gs.VersionOnLAN(p.Version))
	case *w3gs.CreateGame:
		p.Version = uint32(w3gs.VersionOnLAN(p.Version))
	}
}

// isLocal reports whether a search is for clients of 3.0.
func isLocal(search w3gs.SearchGame) bool {
	return w3gs.Version(search.Version).Discovery() == w3gs.DiscoveryLocal
}
