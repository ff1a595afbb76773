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

// checkRealm resolves a realm's address and connects to it. It only logs on if ask is set,
// since that would end the session of a host that runs elsewhere.
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
				but("find out whether the realm is up and a firewall lets TCP out to it; correct address or bind of [[realm]] %s", r.Name)
		}
		_ = conn.Close()
		if ask {
			return askRealm(c, r)
		}
		return fine("%s (%s) takes connections; the log-on of %s was not tried (--realms does, and asks where players are sent)",
			r.Address, strings.Join(addrs, ", "), r.Account)
	}
}

// answered bounds how long a realm may take to log the account on and to list a lobby.
const answered = 20 * time.Second

// askRealm lists a lobby for a moment and looks at which address the realm sends players,
// and whether a connection to that comes here.
func askRealm(c config.Config, r config.Realm) Finding {
	l, err := net.Listen("tcp", c.Host.Listen)
	if err != nil {
		return fine("not asked, since %s is in use", c.Host.Listen).
			but("type realms at the console of the host that runs, or stop it first")
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

// reach tells what is known of an address at which players are to reach the listener. Only
// somebody elsewhere knows for sure.
func reach(l *net.TCPListener, at netip.AddrPort) Finding {
	sent := fmt.Sprintf("players are sent to %v", at)
	switch ip := at.Addr(); {
	case ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast():
		return fine("%s, which is reached from the realm's own network only", sent)
	case slices.Contains(ownIPs(), ip):
		return fine("%s, an address of this machine; whether a firewall before it lets TCP in cannot be seen from here", sent)
	}
	conn, err := net.DialTimeout("tcp", at.String(), patience)
	if err == nil {
		defer conn.Close()
		_ = l.SetDeadline(time.Now().Add(patience))
		var in net.Conn
		if in, err = l.Accept(); err == nil {
			_ = in.Close()
			return fine("%s, and a connection there came in: the router passes the port on", sent)
		}
	}
	return fine("%s, and a connection from here did not come in: not reachable from outside, unless the router only refuses its own network", sent).
		but("have the router pass TCP port %d on to this machine, by hand or by host.upnp = true, or give players w3host play from a host that can be reached", at.Port())
}
