package host

import (
	"net/netip"
	"slices"
	"time"

	"w3host/formats/replay"
	"w3host/game"
	"w3host/host/watch"
	"w3host/internal/network"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/spectate"
	"w3host/texts"
)

const (
	// watchBit marks the game ID by which spectators join. A running game is listed a second time under it. A client that
	// joins there is given to the spectators' loop (host/watch), which reads the replay; the game does no work for it.
	watchBit = 1 << 27
	// watchPrefix precedes the name of the game in that list entry.
	watchPrefix = "[watch] "
	// lateEnough is a delay after which seeing the game is of no use to its players.
	lateEnough = 10 * time.Minute
)

// offerToWatch lists the game for spectators once enough of it is recorded.
func (g *Game) offerToWatch() {
	w, file := g.shard.watchers, g.replay.Part()
	if w == nil || file == "" || g.facts.Loading || g.onShow.show != nil || g.facts.ViewPID == 0 || g.shard.leaving {
		return
	}
	o := &g.shard.opts.Watch
	check, version, seat, called := g.machine.MapCheck(), g.version(), g.facts.ViewPID, g.facts.Told
	show := &watch.Show{
		Number: g.id | watchBit, Version: version, File: file, Delay: o.Delay, Most: o.Most,
		Tape: func(r *replay.Reader) (*spectate.Recording, error) {
			for i := range r.Start.Players {
				p := &r.Start.Players[i]
				if p.Name != called[p.PID] {
					r.Start.Metas = nil // they contain the hidden names
				}
				p.Name = called[p.PID]
			}
			return spectate.NewRecording(r, seat, version, check)
		},
	}
	if version.HasEntryKey() {
		show.Key = randomU32()
	}
	g.setShow(show)
	g.onShow.withdraw = w.Offer(show, func() { g.call(func() { g.listToWatch(show) }) })
}

// listToWatch lists the game for spectators, unless show has ended.
func (g *Game) listToWatch(show *watch.Show) {
	if g.onShow.show != show || g.onShow.inList {
		return
	}
	ad := g.advert(watchPrefix+g.facts.Info.Name, g.facts.Info.Counts, false)
	ad.GameID, ad.EntryKey, ad.Watched, ad.Hidden = g.onShow.show.Number, g.onShow.show.Key, true, nil
	ad.Count = lan.Count{Slots: ad.Count.Slots, Open: 1}
	if len(g.variants) > 1 && g.variants[0].EntryKey != g.key { // each version has another map checksum
		ad.Variants = g.variants[:1]
	}
	ad.Variants = slices.Clone(ad.Variants)
	for i := range ad.Variants {
		ad.Variants[i].EntryKey = ad.EntryKey
	}
	g.onShow.inList = true
	if err := g.shard.list.Open(ad); err != nil {
		g.log.Error().Err(err).Msg("the game cannot be announced to watchers")
	}
	g.log.Info().Str("name", ad.Name).Stringer("delay", g.onShow.show.Delay).Msg("the game can be watched")
}

// stopShowing admits no more spectators. Those who are there see the game to its end.
func (g *Game) stopShowing() {
	if g.onShow.show == nil {
		return
	}
	g.onShow.withdraw()
	if g.onShow.inList {
		g.shard.list.Close(g.onShow.show.Number)
	}
	g.setShow(nil)
	g.onShow.inList = false
}

// setShow sets show, and the number of spectators in the registry.
func (g *Game) setShow(show *watch.Show) {
	g.onShow.show = show
	g.shard.Note(&g.facts.Info, func(i *Info) {
		if i.Viewers = nil; show != nil {
			i.Viewers = show.Watching
		}
	})
}

// watchedBy gives a connection to the spectators' loop.
func (g *Game) watchedBy(l *link, join *w3gs.ReqJoin) {
	var no texts.Text
	if g.onShow.show.Delay < lateEnough && g.playsAt(l.Addr.Addr()) {
		no = spectate.SameAddress
	}
	l.uncount()
	g.shard.watchers.Hand(g.shard.Loop, l.Conn, join, no)
}

// playsAt reports whether a player of the game is, or was last, at an address. It is false for exempt addresses.
func (g *Game) playsAt(addr netip.Addr) bool {
	same := func(a netip.AddrPort) bool { return network.Base(a.Addr()) == network.Base(addr) }
	return !g.shard.admission.Exempt(addr) &&
		(slices.ContainsFunc(g.seats[:], func(l *link) bool { return l != nil && same(l.Addr) }) ||
			slices.ContainsFunc(g.facts.Info.Players, func(p game.Player) bool { return same(p.Addr) }))
}
