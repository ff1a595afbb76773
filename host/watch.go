package host

import (
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/lan"
	"w3host/lobby"
)

// watcher is the observer that serves the host itself: announcements, figures
// and what Infos tells.
type watcher Game

// Observe passes on what others wait for.
func (w *watcher) Observe(s *game.Stamped) {
	g := (*Game)(w)
	switch f := s.Fact.(type) {
	case *game.Turned:
		g.shard.lateness.note(f.Late)
	case *game.Opened:
		g.settings, g.saved = f.Config.Settings, f.Config.Saved
		g.announce(f.Config.Name, f.Counts, f.Config.Unlisted)
		g.note(func(i *Info) { i.Counts, i.Public = f.Counts, !f.Config.Unlisted })
	case *game.Listed:
		g.unlist()
		g.note(func(i *Info) { i.Name, i.Public = f.Name, f.Public })
		g.announce(f.Name, f.Counts, !f.Public)
		g.tellWait()
	case *game.Counted:
		if g.listed {
			count := lanCount(f.Counts, g.version())
			g.host.opts.Advertiser.Update(g.id, count)
			g.host.directory.update(g.id, count)
		}
		g.note(func(i *Info) { i.Counts = f.Counts })
	case *game.Joined:
		g.note(func(i *Info) { i.Players = append(i.Players, f.Player) })
	case *game.LeftLobby:
		g.note(func(i *Info) { i.leave(f.PID) })
	case *game.LeftGame:
		g.note(func(i *Info) { i.leave(f.PID) })
	case *game.Started:
		g.loading = true
		g.note(func(i *Info) { i.Playing, i.Since = true, time.Now() })
		g.shut()
	case *game.AllLoaded:
		g.loading = false
	case *game.Closed:
		g.shut()
	case *game.Desynced:
		g.journal.Keep()
	}
}

// announce has the lobby listed.
func (g *Game) announce(name string, counts lobby.Counts, private bool) {
	o := &g.host.opts
	stat, kind := o.statString(g.m, g.settings, g.version()), g.m.GameType(g.settings)
	if g.saved != nil {
		kind = g.saved.Announce(&stat, o.Game.Reconnect.Wait > 0, private)
	}
	ad := lan.Advert{
		GameID:   g.id,
		EntryKey: g.key,
		Name:     name,
		Stat:     stat,
		Type:     kind,
		Port:     g.host.Addr().Port(),
		Count:    lanCount(counts, g.version()),
		Private:  private,
		Asked:    g.spec.order.Entry == "" && g.spec.again == nil,
		Variants: g.variants,
	}
	g.host.directory.open(ad)
	if err := o.Advertiser.Open(ad); err != nil {
		g.log.Error().Err(err).Msg("lobby cannot be announced on the LAN")
	}
	g.listed = true
}

// tellWait tells the players of a lobby with a new place in the list whether a realm lists
// another one before it.
func (g *Game) tellWait() {
	realm, before := g.host.Waits(g.id)
	if realm == "" {
		return
	}
	g.call(func(g *Game) { // behind what the game says itself
		for _, l := range g.seats {
			if l != nil {
				line := game.WaitsForRealm(realm, before).In(g.machine.Language(l.pid))
				g.step(&game.Input{Kind: game.HostLine, Caller: &command.Caller{PID: l.pid, Name: l.name}, Line: line})
			}
		}
	})
}

// unlist takes the lobby off the list.
func (g *Game) unlist() {
	if g.listed {
		g.listed = false
		g.host.opts.Advertiser.Close(g.id)
		g.host.directory.close(g.id)
	}
}

// note changes what others are told of the game.
func (g *Game) note(change func(*Info)) {
	g.host.mu.Lock()
	defer g.host.mu.Unlock()
	change(&g.info)
}
