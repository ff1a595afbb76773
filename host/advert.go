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

// advert is the entry of the game in the list.
func (g *Game) advert(name string, counts lobby.Counts, private bool) lan.Advert {
	o := &g.shard.opts
	stat, kind := o.asListed(g.about.Stat), g.about.Type // of a game that was taken over nothing else is known of its map
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

// welcomes reports whether strangers may find the lobby and come in.
func (g *Game) welcomes() bool {
	return !g.closed.Load() && (g.lease.Term == 0 || g.shard.opts.Leases.Acting(g.lease))
}

// proxySize as a map's width and height tells proxies that they may ask for
// reconnection. Clients take the real size from the map.
const proxySize = 1984

// lanCount is how full the lobby is, as the LAN list shows it. Clients make room
// for as many pids as there are slots; the virtual host has one without a slot,
// so that one more slot is shown where the game has room for it.
func lanCount(c lobby.Counts, v w3gs.Version) lan.Count {
	return lan.Count{Slots: min(c.Total+1, v.Slots()), Open: c.Open}
}

// asListed is how clients find a game in the list: with the size that proxies ask for, where they are served.
func (o *Options) asListed(stat w3gs.StatString) w3gs.StatString {
	if o.Game.Reconnect.Wait > 0 {
		stat.Width, stat.Height = proxySize, proxySize
	}
	return stat
}

// recordingOf returns the description at the beginning of a replay of a game with this map.
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
