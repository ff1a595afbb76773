package host

import (
	"w3host/lan"
	"w3host/lobby"
)

// advert is the entry of the game in the list.
func (g *Game) advert(name string, counts lobby.Counts, private bool) lan.Advert {
	o := &g.shard.opts
	stat, kind := o.asListed(g.about.Stat), g.about.Type // of a game that was taken over nothing else is known of its map
	if g.saved != nil {
		kind = g.saved.Announce(&stat, o.Game.Reconnect.Wait > 0, private)
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
