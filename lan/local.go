package lan

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"w3host/protocol/w3gs"
)

// Clients of 3.0 broadcast a 0x2F to LocalPort, each from the first UDP port that is free from there
// on, and take every 0x30 that comes to their own port. They know no 0x31, 0x32 and 0x33.
const (
	// LocalPort is the UDP port to which clients of 3.0 send their searches.
	LocalPort = 16000
	// localPorts is how many ports from LocalPort on are told of each lobby.
	localPorts = 8
	// localInterval is the time between two announcements to clients of 3.0.
	localInterval = time.Second
)

// localAddrs returns the ports of the clients on a machine.
func (o *Options) localAddrs(at netip.Addr) (list []netip.AddrPort) {
	for n := range uint16(localPorts) {
		list = append(list, netip.AddrPortFrom(at, o.localPort+n))
	}
	return list
}

// localTargets returns the addresses at which clients of 3.0 are told of every lobby: those of this
// machine, and of the targets.
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

// openLocal begins to hear the searches of 3.0 clients. The port is held alone: a client that finds it
// taken uses the next one, and whoever holds it gets the searches of all.
func (a *Advertiser) openLocal() {
	if a.local || a.stopped {
		return
	}
	a.local = true
	p := &port{bind: a.opts.Bind, number: a.opts.localPort, alone: true}
	a.ports = append(a.ports, p)
	a.readers.Go(func() { a.serve(p) }) // ends with Shutdown
}

// listenAlone opens a UDP socket on a port that no other program shares.
func listenAlone(addr netip.Addr, number uint16) (*net.UDPConn, error) {
	pc, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp4", netip.AddrPortFrom(addr, number).String())
	if err != nil {
		return nil, fmt.Errorf("UDP port %d cannot be had: %w", number, err)
	}
	return pc.(*net.UDPConn), nil
}

// listenLocal opens a socket for announcements to 3.0 clients: one of their ports, the last that is
// free, which leaves the first ones to games. nil: none is free.
func listenLocal(first uint16) *net.UDPConn {
	for n := uint16(localPorts); n > 0; n-- {
		if conn, err := listenAlone(netip.IPv4Unspecified(), first+n-1); err == nil {
			return conn
		}
	}
	return nil
}

// onWire returns a search as clients send it.
func onWire(search w3gs.SearchGame) []byte {
	search.Version = w3gs.Version(search.Version).LANNumber()
	return search.AppendTo(nil)
}

// fromWire replaces the number of a version in a packet by the version.
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

// isLocal reports whether a search is one of 3.0.
func isLocal(search w3gs.SearchGame) bool {
	return w3gs.Version(search.Version).Discovery() == w3gs.DiscoveryLocal
}
