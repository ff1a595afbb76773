package lan

import (
	"context"
	"fmt"
	"net"
	"net/netip"
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

// Relay announces a host's lobbies to machines that its broadcasts do not reach,
// until ctx ends: it searches at the host, announces the lobbies with 0x31, 0x32,
// 0x30 and 0x33, and answers searches. Clients join at the address of the
// announcements, the relay's: without Forward it has to run on the host's machine.
func Relay(ctx context.Context, o RelayOptions) error {
	if !o.Bind.IsValid() {
		o.Bind = netip.IPv4Unspecified()
	}
	if o.every == 0 {
		o.every, o.forget = browseEvery, relayForget
	}
	show, err := Listen(Options{
		Broadcast: o.To, Ports: []uint16{o.Port}, Bind: o.Bind, BroadcastInfo: true,
		Product: o.Ask.Product, Version: o.Ask.Version, Log: o.Log,
	})
	if err != nil {
		return err
	}
	defer show.Shutdown()
	r := &relay{opts: o, show: show, shown: map[uint32]Found{}}
	if o.Forward {
		if r.forwarder, err = openForwarder(ctx, o); err != nil {
			return err
		}
		defer r.forwarder.close()
	}
	return Browse(ctx, BrowseOptions{
		To: []netip.AddrPort{o.From}, Ask: []w3gs.SearchGame{o.Ask}, Every: o.every, Forget: o.forget,
	}, r.update)
}

// relay is the state of a Relay.
type relay struct {
	opts      RelayOptions
	show      *Advertiser
	forwarder *forwarder // nil without Forward
	shown     map[uint32]Found
}

// update announces the lobbies that the host has now, and withdraws the others.
func (r *relay) update(list []Found) {
	now := map[uint32]Found{}
	for _, f := range list {
		if f.From.Addr() == r.opts.From.Addr() && f.Info.Product == r.opts.Ask.Product && f.Info.Version == r.opts.Ask.Version {
			now[f.Info.GameID] = f
		}
	}
	for id, was := range r.shown {
		if f, ok := now[id]; !ok || f.Info.EntryKey != was.Info.EntryKey || f.JoinAddr() != was.JoinAddr() {
			r.show.Close(id)
			delete(r.shown, id)
			r.opts.Log.Info().Uint32("game", id).Msgf("%q is no longer shown", was.Info.Name)
		}
	}
	for id, f := range now {
		if _, ok := r.shown[id]; ok {
			r.show.Update(id, f.count())
		} else if err := r.show.Open(r.advert(f)); err != nil {
			r.opts.Log.Debug().Err(err).Uint32("game", id).Msg("cannot show a lobby of the host")
			continue
		} else {
			r.opts.Log.Info().Uint32("game", id).Stringer("host", f.JoinAddr()).Msgf("showing %q", f.Info.Name)
		}
		r.shown[id] = f
	}
	if r.forwarder != nil {
		r.forwarder.set(r.shown)
	}
}

func (r *relay) advert(f Found) Advert {
	ad := Advert{
		GameID: f.Info.GameID, EntryKey: f.Info.EntryKey, Name: f.Info.Name, Stat: f.Info.Stat, Type: f.Info.Type,
		Port: f.Info.Port, Count: f.count(), Age: time.Duration(f.Info.UptimeSeconds) * time.Second,
	}
	if r.forwarder != nil {
		ad.Port = uint16(r.forwarder.listener.Addr().(*net.TCPAddr).Port)
	}
	return ad
}

// count converts the numbers of a 0x30 for an Advertiser.
func (f Found) count() Count {
	slots := min(int(f.Info.Slots), w3gs.MaxSlots)
	return Count{Slots: slots, Open: min(max(0, slots-f.Players()), slots)}
}

// openForwarder listens for joins to relayed lobbies.
func openForwarder(ctx context.Context, o RelayOptions) (*forwarder, error) {
	l, err := net.Listen("tcp4", netip.AddrPortFrom(o.Bind, o.Port).String())
	if err != nil {
		return nil, fmt.Errorf("lan: joins cannot be forwarded from TCP port %d; another one can be set: %w", o.Port, err)
	}
	d := &forwarder{listener: l, log: o.Log, from: map[netip.Addr]int{}}
	d.ctx, d.stop = context.WithCancel(ctx)
	d.conns.Go(d.accept) // ends when the listener is closed
	return d, nil
}
