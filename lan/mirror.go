package lan

import (
	"context"
	"net"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// MirrorOptions configure a Mirror.
type MirrorOptions struct {
	Show Options // how lobbies are announced; GamePort is set if Forward is
	// Forward accepts joins at Port, 0 for any, and forwards them to the host. Without it clients join at the source
	// address of the announcements and the port of the lobby.
	Forward bool
	Port    uint16
	Carry   CarryFunc // nil means plain copying
}

// Mirror announces lobbies of hosts that are out of reach of local clients, and can forward joins to them. It is not
// safe for concurrent use.
type Mirror struct {
	opts      MirrorOptions
	show      *Advertiser
	forwarder *forwarder // nil without Forward
	shown     map[uint32][]Found
}

// OpenMirror starts announcing. The mirror ends with Close; forwarded connections also end with ctx.
func OpenMirror(ctx context.Context, o MirrorOptions) (m *Mirror, err error) {
	m = &Mirror{opts: o, shown: map[uint32][]Found{}}
	if m.show, err = Listen(o.Show); err != nil {
		return nil, err
	}
	if o.Forward {
		if m.forwarder, err = openForwarder(ctx, m.show.opts.Bind, o); err != nil {
			m.show.Shutdown()
			return nil, err
		}
	}
	return m, nil
}

// Close withdraws all lobbies and ends the forwarded connections.
func (m *Mirror) Close() {
	m.show.Shutdown()
	if m.forwarder != nil {
		m.forwarder.close()
	}
}

// Show announces these lobbies and withdraws all others. The list has one entry per game version that sees a lobby, with
// the same product and game id.
func (m *Mirror) Show(list []Found) {
	now := map[uint32][]Found{}
	for _, f := range list {
		if id := f.Info.GameID; len(now[id]) == 0 || f.Info.Name == now[id][0].Info.Name {
			now[id] = append(now[id], f)
		}
	}
	log := &m.opts.Show.Log
	for id, was := range m.shown {
		if !slices.EqualFunc(now[id], was, Found.sameLobby) {
			m.show.Close(id)
			delete(m.shown, id)
			log.Info().Uint32("game", id).Msgf("%q is no longer announced", was[0].Info.Name)
		}
	}
	for id, variants := range now {
		f := variants[0]
		if _, ok := m.shown[id]; ok {
			m.show.Update(id, f.count())
		} else if err := m.show.Open(m.advert(variants)); err != nil {
			log.Debug().Err(err).Uint32("game", id).Msg("cannot announce a lobby of the host")
			continue
		} else {
			log.Info().Uint32("game", id).Stringer("host", f.JoinAddr()).Msgf("showing %q", f.Info.Name)
		}
		m.shown[id] = variants
	}
	if m.forwarder != nil {
		var doors []Found
		for _, variants := range m.shown {
			doors = append(doors, variants...)
		}
		m.forwarder.set(doors)
	}
}

// sameLobby reports whether clients need no new announcement.
func (f Found) sameLobby(g Found) bool {
	return f.Info.EntryKey == g.Info.EntryKey && f.Info.Version == g.Info.Version && f.Info.Name == g.Info.Name && f.JoinAddr() == g.JoinAddr()
}

func (m *Mirror) advert(variants []Found) Advert {
	info := &variants[0].Info
	ad := Advert{
		GameID: info.GameID, EntryKey: info.EntryKey, Name: info.Name, Stat: info.Stat, Type: info.Type,
		Port: info.Port, Count: variants[0].count(), age: time.Duration(info.UptimeSeconds) * time.Second,
	}
	for _, f := range variants {
		stat := &f.Info.Stat
		ad.Stat.HasSHA1 = ad.Stat.HasSHA1 || stat.HasSHA1
		ad.Variants = append(ad.Variants, Variant{f.Info.Version, f.Info.EntryKey, stat.Checksum, stat.SHA1})
	}
	if m.forwarder != nil {
		ad.Port = uint16(m.forwarder.listener.Addr().(*net.TCPAddr).Port)
	}
	return ad
}

// count converts the numbers of a 0x30 for an Advertiser.
func (f Found) count() Count {
	slots := min(int(f.Info.Slots), w3gs.MaxSlots)
	return Count{Slots: slots, Open: max(0, slots-f.Players())}
}
