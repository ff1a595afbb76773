package host

import (
	"time"

	"w3host/formats/replay"
	"w3host/game"
	"w3host/lan"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/record/recording"
)

// advert returns the entry of the lobby for the list.
func (g *Game) advert(name string, counts lobby.Counts, private bool) lan.Advert {
	o := &g.shard.opts
	stat, kind := o.asListed(g.about.Stat), g.about.Type // for a taken-over game, only these are known of its map
	if g.facts.Saved != nil {
		kind = g.facts.Saved.Announce(&stat, o.Game.Reconnect.Wait > 0, private)
	}
	return lan.Advert{
		GameID:    g.id,
		EntryKey:  g.key,
		Name:      name,
		Stat:      stat,
		Type:      kind,
		Port:      o.Listeners.Addr().Port(),
		Count:     lanCount(counts, g.version()),
		Private:   private,
		Requested: g.spec.order.Entry == "" && g.spec.again == nil,
		Variants:  g.variants,
		Hidden:    func() bool { return !g.welcomes() },
	}
}

// welcomes reports whether new players may find and join the lobby.
func (g *Game) welcomes() bool {
	return !g.closed.Load() && (g.lease.Term == 0 || g.shard.opts.Leases.Acting(g.lease))
}

// proxySize, as a map's width and height, tells reconnect proxies that the host supports them. Clients take the real size
// from the map file.
const proxySize = 1984

// lanCount returns how full the lobby is, for the LAN list. Clients make room for as many player IDs as there are slots.
// The virtual host has an ID without a slot, so one more slot is shown if the version has room for it.
func lanCount(c lobby.Counts, v w3gs.Version) lan.Count {
	return lan.Count{Slots: min(c.Total+1, v.Slots()), Open: c.Open}
}

// asListed returns the settings that the list shows, with proxySize if reconnecting is enabled.
func (o *Options) asListed(stat w3gs.StatString) w3gs.StatString {
	if o.Game.Reconnect.Wait > 0 {
		stat.Width, stat.Height = proxySize, proxySize
	}
	return stat
}

// recordingOf returns the header of the replay of a game on this map.
func (o *Options) recordingOf(m *Map, cfg *game.Config, opened time.Time) recording.About {
	return recording.About{
		Game: replay.HostOf(o.Product.String(), int(cfg.Version)),
		Stat: w3gs.StatString{
			Settings: cfg.Settings, Width: m.Width, Height: m.Height,
			Checksum: m.Checksum, MapPath: m.Path, SHA1: m.SHA1, HasSHA1: cfg.Version.HasSHA1(),
			HostName: w3gs.StripColours(o.Game.Lobby.Voice.VirtualHost),
		},
		Type: m.GameType(cfg.Settings), Opened: opened,
	}
}
