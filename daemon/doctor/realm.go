package doctor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"w3host/config"
	"w3host/daemon"
)

// checkRealm resolves a realm's address and connects to it. It logs on only if ask is set, since that would end the
// session of a host that uses the account.
func checkRealm(r config.Realm, ask bool) func(context.Context, config.Config) Finding {
	return func(ctx context.Context, c config.Config) Finding {
		host, _, err := net.SplitHostPort(r.Address)
		if err != nil {
			return fine("address = %q: %v", r.Address, err).but("write HOST:PORT, for example realm.example.org:6112")
		}
		addrs, err := net.DefaultResolver.LookupHost(ctx, host)
		if err != nil {
			return fine("%v", err).but("correct address of [[realm]] %s, or the DNS of this machine", r.Name)
		}
		var dialer net.Dialer
		if bind, err := netip.ParseAddr(r.Bind); err == nil {
			dialer.LocalAddr = &net.TCPAddr{IP: bind.AsSlice()}
		}
		conn, err := dialer.DialContext(ctx, "tcp", r.Address)
		if err != nil {
			return fine("%s (%s): %v", r.Address, strings.Join(addrs, ", "), err).
				but("check whether the realm is running and the firewall allows outgoing TCP; correct address or bind of [[realm]] %s", r.Name)
		}
		_ = conn.Close()
		if ask {
			return askRealm(c, r)
		}
		return fine("%s (%s) accepts connections; the logon of %s was not tested (use --realms to test it and the address given to players)",
			r.Address, strings.Join(addrs, ", "), r.Account)
	}
}

// answered is the time limit for logging on and listing a lobby.
const answered = 20 * time.Second

// askRealm lists a lobby for a moment and checks to which address the realm sends players, and whether a connection to
// it reaches this machine.
func askRealm(c config.Config, r config.Realm) Finding {
	l, err := net.Listen("tcp", c.Host.Listen)
	if err != nil {
		return fine("not tested, since %s is in use", c.Host.Listen).
			but("use the command realms on the running host, or stop it first")
	}
	defer l.Close()
	ctx, stop := context.WithTimeout(context.Background(), answered)
	defer stop()
	c.Realms = []config.Realm{r}
	at, err := daemon.SeenByRealm(ctx, c, l.Addr().(*net.TCPAddr).AddrPort())
	if err != nil {
		return fine("%v", err).but("correct account, password or version of [[realm]] %s", r.Name)
	}
	return reach(l.(*net.TCPListener), at)
}

// reach returns what is known about the address at which players connect. Only a test from another network would be
// certain.
func reach(l *net.TCPListener, at netip.AddrPort) Finding {
	sent := fmt.Sprintf("players are sent to %v", at)
	switch ip := at.Addr(); {
	case ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast():
		return fine("%s, which can be reached only from the realm's own network", sent)
	case slices.Contains(ownIPs(), ip):
		return fine("%s, an address of this machine; whether a firewall blocks incoming TCP cannot be checked from here", sent)
	}
	conn, err := net.DialTimeout("tcp", at.String(), patience)
	if err == nil {
		defer conn.Close()
		_ = l.SetDeadline(time.Now().Add(patience))
		var in net.Conn
		if in, err = l.Accept(); err == nil {
			_ = in.Close()
			return fine("%s, and a test connection arrived: the router forwards the port", sent)
		}
	}
	return fine("%s, but a test connection did not arrive: the host is not reachable from outside, unless the router only blocks connections from its own network", sent).
		but("forward TCP port %d to this machine in the router, or set host.upnp = true", at.Port())
}
