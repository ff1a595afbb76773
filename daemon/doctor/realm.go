package doctor

import (
	"context"
	"net"
	"net/netip"
	"strings"

	"w3host/config"
)

// checkRealm resolves a realm's address and connects to it. It does not log on, since
// that would end the session of a running host.
func checkRealm(r config.Realm) func(context.Context, config.Config) Finding {
	return func(ctx context.Context, _ config.Config) Finding {
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
		return fine("%s (%s) takes connections; the log-on of %s was not tried", r.Address, strings.Join(addrs, ", "), r.Account)
	}
}
