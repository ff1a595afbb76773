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

// A game that is played is in the list a second time, for viewers. A client that joins there
// is handed to the watchers' loop, which reads the record: the game does nothing for them.

const (
	// watchBit marks the number by which viewers join a game.
	watchBit = 1 << 27
	// watchPrefix is before the name of the game.
	watchPrefix = "[watch] "
	// lateEnough is a delay after which a picture of the game is useless to its players.
	lateEnough = 10 * time.Minute
)

// offerToWatch has the game listed for viewers, as soon as enough of it is recorded.
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

// listToWatch has it listed.
func (g *Game) listToWatch(show *watch.Show) {
	if g.onShow.show != show || g.onShow.inList {
		return
	}
	ad := g.advert(watchPrefix+g.facts.Info.Name, g.facts.Info.Counts, false)
	ad.GameID, ad.EntryKey, ad.Watched, ad.Hidden = g.onShow.show.Number, g.onShow.show.Key, true, nil
	ad.Count = lan.Count{Slots: ad.Count.Slots, Open: 1}
	if len(g.variants) > 1 && g.variants[0].EntryKey != g.key { // each has another map check
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

// stopShowing lets no more viewers in. Those who are in see the game to its end.
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

// setShow notes how the game is shown, also for others than the loop.
func (g *Game) setShow(show *watch.Show) {
	g.onShow.show = show
	g.shard.Note(&g.facts.Info, func(i *Info) {
		if i.Viewers = nil; show != nil {
			i.Viewers = show.Watching
		}
	})
}

// watchedBy hands a connection to the watchers' loop.
func (g *Game) watchedBy(l *link, join *w3gs.ReqJoin) {
	var no texts.Text
	if g.onShow.show.Delay < lateEnough && g.playsAt(l.Addr.Addr()) {
		no = spectate.SameAddress
	}
	l.uncount()
	g.shard.watchers.Hand(g.shard.Loop, l.Conn, join, no)
}

// playsAt reports whether somebody plays at an address, or may come back from there, unless many share it.
func (g *Game) playsAt(addr netip.Addr) bool {
	same := func(a netip.AddrPort) bool { return network.Base(a.Addr()) == network.Base(addr) }
	return !g.shard.admission.Exempt(addr) &&
		(slices.ContainsFunc(g.seats[:], func(l *link) bool { return l != nil && same(l.Addr) }) ||
			slices.ContainsFunc(g.facts.Info.Players, func(p game.Player) bool { return same(p.Addr) }))
}
