package lan

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"w3host/protocol/w3gs"
)

// relayForget is the time without an answer after which a lobby is withdrawn. It tolerates two lost searches.
const relayForget = 3*browseEvery + browseEvery/4

// RelayOptions configure a Relay.
type RelayOptions struct {
	From netip.AddrPort   // the UDP address at which the host answers searches
	To   []netip.AddrPort // machines or broadcast addresses to announce to
	Ask  w3gs.SearchGame  // product and version
	Port uint16           // for searches (UDP) and, with Forward, joins (TCP); 0 means any
	Bind netip.Addr       // local address; invalid means all addresses
	// Forward accepts joins at Port and forwards them to the host.
	Forward bool
	Log     zerolog.Logger

	every, forget time.Duration // for tests
}

// machines returns the addresses to which lobbies of 3.0 are announced port by port, because clients of 3.0 do not receive
// broadcasts of hosts.
func (o *RelayOptions) machines() []netip.AddrPort {
	if isLocal(o.Ask) {
		return o.To
	}
	return nil
}

// Relay announces a host's lobbies to machines that its broadcasts do not reach, until ctx ends: it searches the host, announces
// the lobbies with 0x31, 0x32, 0x30 and 0x33, and answers searches. Clients join the source address of the announcements, which
// is the relay's, so without Forward the relay must run on the host's machine.
func Relay(ctx context.Context, o RelayOptions) error {
	if o.every == 0 {
		o.every, o.forget = browseEvery, relayForget
	}
	show := MirrorOptions{
		Show: Options{
			Broadcast: o.To, Targets: o.machines(), Ports: []uint16{o.Port}, Bind: o.Bind, BroadcastInfo: true,
			Product: o.Ask.Product, Version: o.Ask.Version, Log: o.Log,
		},
		Forward: o.Forward, Port: o.Port,
	}
	m, err := OpenMirror(ctx, show)
	if err != nil {
		return err
	}
	defer m.Close()
	return Browse(ctx, BrowseOptions{
		To: []netip.AddrPort{o.From}, Ask: []w3gs.SearchGame{o.Ask}, Every: o.every, Forget: o.forget,
	}, func(list []Found) {
		m.Show(slices.DeleteFunc(list, func(f Found) bool {
			return f.From.Addr() != o.From.Addr() || f.Info.Product != o.Ask.Product || f.Info.Version != o.Ask.Version
		}))
	})
}
