package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/daemon"
	"w3host/lan"
	"w3host/lan/mdns"
	"w3host/protocol/w3gs"
)

// checkListen listens on host.listen, unless a host runs there, and connects to it at each address of this machine.
func checkListen(ctx context.Context, c config.Config) Finding {
	addr, running := c.Host.Listen, false
	l, err := net.Listen("tcp", c.Host.Listen)
	switch {
	case err == nil:
		defer l.Close()
		addr = l.Addr().String()
		go greet(l) // ends with the listener
	case errors.Is(err, syscall.EADDRINUSE):
		if _, dead := daemon.Alive(ctx, c.Host.Listen); dead != nil {
			return fine("%v", daemon.ListenFault(c.Host.Listen, err)).but("stop the other program, or choose another port with host.listen or --listen")
		}
		running = true
	default:
		return fine("%v", daemon.ListenFault(c.Host.Listen, err)).but("correct host.listen or --listen")
	}
	var reached, failed []string
	for _, to := range ownAddresses(addr) {
		conn, err := net.DialTimeout("tcp", to, time.Second)
		if err != nil {
			failed = append(failed, to)
			continue
		}
		_ = conn.Close()
		reached = append(reached, to)
	}
	if len(failed) > 0 {
		return fine("not reachable at %s", strings.Join(failed, ", ")).but("open the port in the firewall (docs/deployment.md)")
	}
	state := "free"
	if running {
		state = "a host is running there"
	}
	return fine("%s, reachable at %s", state, strings.Join(reached, ", "))
}

// greet accepts and closes connections.
func greet(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_ = conn.Close()
	}
}

// ownAddresses returns the addresses at which this machine reaches a listener.
func ownAddresses(listen string) []string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil
	}
	if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.Unmap().IsUnspecified()) {
		return []string{listen}
	}
	var out []string
	for _, ip := range ownIPs() {
		if ip.Is4() {
			out = append(out, net.JoinHostPort(ip.String(), port))
		}
	}
	slices.Sort(out)
	return out
}

// ownIPs returns the addresses of this machine.
func ownIPs() (list []netip.Addr) {
	addrs, _ := net.InterfaceAddrs() // without addresses there is nothing to check
	for _, a := range addrs {
		if ipnet, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(ipnet.IP); ok {
				list = append(list, ip.Unmap())
			}
		}
	}
	return list
}

// lanPlan returns the LAN options of a host, except that port 0 of host.listen stays 0.
func lanPlan(c config.Config) (lan.Options, error) {
	addr, err := net.ResolveTCPAddr("tcp", c.Host.Listen)
	if err != nil {
		return lan.Options{}, err
	}
	listen := addr.AddrPort()
	if addr.IP == nil {
		listen = netip.AddrPortFrom(netip.IPv6Unspecified(), uint16(addr.Port))
	}
	o := daemon.LANOptions(c, listen, zerolog.Nop())
	if o.Bind.IsLoopback() {
		o.Broadcast = []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 255, 255, 255}), uint16(c.LAN.Port))}
		o.InterfacePort = 0
	}
	return o, nil
}

// checkLANPort checks that the host can receive the search packets of clients.
func checkLANPort(_ context.Context, c config.Config) Finding {
	if !c.LAN.Enabled {
		return fine("not needed: lan.enabled is false")
	}
	o, err := lanPlan(c)
	if err != nil {
		return fine("host.listen = %q: %v", c.Host.Listen, err).but("correct host.listen or --listen")
	}
	shared, err := lan.CheckPort(o.Bind, uint16(c.LAN.Port))
	switch {
	case err != nil:
		return fine("cannot receive LAN searches: %v", err).but("close the program that uses the port, or set lan.port")
	case shared:
		return fine("%d, shared with a game or host on this machine", c.LAN.Port)
	}
	return fine("%d is free", c.LAN.Port)
}

// checkLocalPort checks the port on which clients of 3.0 search, if a lobby is for them. If another program uses it,
// lobbies are still announced to clients on this machine.
func checkLocalPort(_ context.Context, c config.Config) Finding {
	local := func(v w3gs.Version) bool { return v.Discovery() == w3gs.DiscoveryLocal }
	if !c.LAN.Enabled || !slices.ContainsFunc(c.Versions(), local) {
		return fine("not needed: no lobby is for %v", w3gs.VersionThree)
	}
	o, err := lanPlan(c)
	if err != nil {
		return fine("host.listen = %q: %v", c.Host.Listen, err).but("correct host.listen or --listen")
	}
	if shared, err := lan.CheckPort(o.Bind, lan.LocalPort); shared || err != nil {
		return fine("port %d is used by a game, a host or another program: lobbies are announced every second to clients on this machine and at lan.targets, but other clients cannot search", lan.LocalPort)
	}
	return fine("%d is free", lan.LocalPort)
}

// checkMulticast checks that this machine receives its own multicast DNS, if a version needs it.
func checkMulticast(ctx context.Context, c config.Config) Finding {
	if !c.LAN.Enabled || !slices.ContainsFunc(c.Versions(), w3gs.Version.UsesMDNS) {
		return fine("not needed: no lobby is for 1.30 to 2.0")
	}
	o, err := lanPlan(c)
	if err != nil {
		return fine("host.listen = %q: %v", c.Host.Listen, err).but("correct host.listen or --listen")
	}
	heard, err := mdns.Check(ctx, o.Bind)
	if err != nil {
		return fine("clients of 1.30 to 2.0 cannot see the lobbies: %v", err).
			but("connect this machine to a network with multicast; open UDP port 5353 in the firewall; stop any program that does not share the port")
	}
	return fine("sent and received on %s", strings.Join(heard, ", "))
}

// checkBroadcasts checks that this machine receives its own broadcasts at each broadcast address.
func checkBroadcasts(ctx context.Context, c config.Config) Finding {
	if !c.LAN.Enabled {
		return fine("not needed: lan.enabled is false")
	}
	o, err := lanPlan(c)
	if err != nil {
		return fine("host.listen = %q: %v", c.Host.Listen, err).but("correct host.listen or --listen")
	}
	to := o.Broadcast
	if o.InterfacePort != 0 {
		for _, addr := range lan.InterfaceBroadcasts() {
			to = append(to, netip.AddrPortFrom(addr, o.InterfacePort))
		}
		if len(to) == 0 {
			return fine("no network interface with broadcast is up").but("connect this machine to a network, or set lan.broadcast")
		}
	}
	if len(to) == 0 {
		return fine("none: lan.broadcast is empty, so games are announced only to lan.targets")
	}
	var heard, faults []string
	for _, addr := range to {
		limited, stop := context.WithTimeout(ctx, time.Second)
		err := lan.CheckBroadcast(limited, o.Bind, addr)
		stop()
		if err != nil {
			faults = append(faults, fmt.Sprintf("%v: %v", addr, err))
			continue
		}
		heard = append(heard, addr.String())
	}
	if len(faults) > 0 {
		return fine("%s", strings.Join(faults, "; ")).but(`connect this machine to a network; set lan.broadcast to its broadcast address or to ["interfaces"]; allow UDP in the firewall`)
	}
	return fine("sent to %s and received", strings.Join(heard, ", "))
}
