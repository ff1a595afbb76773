package lan

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"w3host/protocol/w3gs"
)

// relayForget is after how long without an answer a lobby is withdrawn: two
// lost searches do no harm.
const relayForget = 3*browseEvery + browseEvery/4

// RelayOptions configure a Relay.
type RelayOptions struct {
	From netip.AddrPort   // the host, where it answers searches
	To   []netip.AddrPort // where lobbies are announced: machines, or broadcast addresses
	Ask  w3gs.SearchGame  // product and version
	Port uint16           // for searches (UDP) and, with Forward, joins (TCP); 0 for any
	Bind netip.Addr       // local address; all addresses when invalid
	// Forward accepts joins at Port and forwards them to the host.
	Forward bool
	Log     zerolog.Logger

	every, forget time.Duration // for tests
}

// machines are the addresses to which 3.0 lobbies are announced, port by port: 3.0 hears no broadcasts of
// hosts.
func (o *RelayOptions) machines() []netip.AddrPort {
	if isLocal(o.Ask) {
		return o.To
	}
	return nil
}

// Relay announces a host's lobbies to machines that its broadcasts do not reach,
// until ctx ends: it searches at the host, announces the lobbies with 0x31, 0x32,
// 0x30 and 0x33, and answers searches. Clients join at the address of the
// announcements, the relay's: without Forward it has to run on the host's machine.
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
