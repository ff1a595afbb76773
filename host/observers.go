package host

import (
	"fmt"
	"runtime/debug"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/lan"
	"w3host/lobby"
	"w3host/record/gamelog"
	"w3host/texts"
)

// recorders creates the replay and the records of a game, and returns them with the observers of Options. Each observer has
// the same index in every process; the replay is nil unless recorded.
func (g *Game) recorders(recorded bool) []Observer {
	o := &g.shard.opts
	list := []Observer{nil, g.records}
	if o.Replays != nil && recorded {
		g.replay = o.Replays.New(g.about)
		g.records.Replay = g.replay.Name
		list[0] = g.replay // before the records, which contain its name
	}
	for _, watch := range o.Observers {
		list = append(list, watch(g.id, g.records.Key().String()))
	}
	return list
}

// own returns the observers of the host itself, which come before the others.
func (g *Game) own() []Observer {
	return []Observer{&g.facts, (*watcher)(g), gamelog.NewLines(g.log, g.shard.opts.Listeners.Addr())}
}

// observe shows a fact to all observers of the game.
func (g *Game) observe(f *game.Stamped) {
	for at := 0; at < len(g.observers); {
		at = g.observeFrom(g.observers, at, f)
	}
}

// observeFrom shows a fact to the observers from index at on, and returns the index to continue with. An observer that
// panics is replaced by nil, so that the game continues without it.
func (g *Game) observeFrom(list []Observer, at int, f *game.Stamped) (next int) {
	defer func() {
		if fault := recover(); fault != nil {
			o := list[next]
			list[next] = nil
			file := g.shard.saveCrash(fmt.Sprintf("game-%d", g.id), fmt.Sprintf("panic: %v", fault), debug.Stack(), fmt.Sprintf("fact: %T\n", f.Fact))
			g.log.Error().Str("observer", fmt.Sprintf("%T", o)).Str("panic", fmt.Sprint(fault)).Str("file", file).
				Msg("an observer of the game has crashed: it gets nothing more of this game, which goes on")
		}
	}()
	for next = at; next < len(list); next++ {
		if o := list[next]; o != nil {
			o.Observe(f)
		}
	}
	return next
}

// watcher is the observer that lists the lobby and measures lateness.
type watcher Game

// Observe implements Observer.
func (w *watcher) Observe(s *game.Stamped) {
	g := (*Game)(w)
	switch f := s.Fact.(type) {
	case *game.Turned:
		g.shard.lateness.note(f.Late)
	case *game.Opened:
		g.announce(f.Config.Name, f.Counts, f.Config.Unlisted)
	case *game.Listed:
		g.unlist()
		g.announce(f.Name, f.Counts, !f.Public)
		g.reportWait()
	case *game.Counted:
		if g.listed {
			g.shard.list.Update(g.id, lanCount(f.Counts, g.version()))
		}
	case *game.Started:
		g.shut()
		if f.Unwatched != "" {
			g.log.Info().Str("reason", f.Unwatched).Msg("the game cannot be watched")
		}
	case *game.Closed:
		g.shut()
	case *game.AllLoaded:
		g.offerToWatch()
	case *game.Desynced:
		g.journal.Keep()
	}
}

// announce lists the lobby, unless new players may not join it.
func (g *Game) announce(name string, counts lobby.Counts, private bool) {
	if g.welcomes() {
		g.list(g.advert(name, counts, private))
	}
}

func (g *Game) list(ad lan.Advert) {
	if err := g.shard.list.Open(ad); err != nil {
		g.log.Error().Err(err).Msg("lobby cannot be announced on the LAN")
	}
	g.listed = true
}

// show lists or unlists the lobby, depending on whether new players may join it now.
func (g *Game) show() {
	switch {
	case !g.open.Load() || g.welcomes() == g.listed:
	case g.listed:
		g.unlist()
	default:
		i := g.shard.Info(g.id)
		g.announce(i.Name, i.Counts, !i.Public)
	}
}

// closeToStrangers lets no new players in from now on.
func (g *Game) closeToStrangers() {
	g.closed.Store(true)
	g.shard.Note(&g.facts.Info, func(i *Info) { i.Closed = true })
	g.show()
}

// reportWait tells the players of a newly listed lobby if a realm lists another lobby before it.
func (g *Game) reportWait() {
	realm, before := g.shard.opts.Realms.Waits(g.id)
	if realm == "" {
		return
	}
	g.call(func() { g.sayToEach(game.WaitsForRealm(realm, before)) }) // after the game's own lines
}

// sayToEach sends a line to all players, each in their language.
func (g *Game) sayToEach(text texts.Text) {
	for _, l := range g.seats {
		if l != nil {
			g.step(&game.Input{Kind: game.HostLine, Caller: &command.Caller{PID: l.pid, Name: l.name}, Line: text.In(g.machine.Language(l.pid))})
		}
	}
}

// unlist removes the lobby from the list.
func (g *Game) unlist() {
	if g.listed {
		g.listed = false
		g.shard.list.Close(g.id)
	}
}

// shut ends joining and unlists the lobby: it has started or closed.
func (g *Game) shut() {
	if g.open.Swap(false) {
		g.unlist()
		g.shard.Keep(func(k *autohost.Keeper) { k.Started(g.id) })
	}
}
