package host

import (
	"errors"
	"fmt"
	"math"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/host/registry"
	"w3host/host/survive"
	"w3host/host/takeover"
	"w3host/record/gamelog"
	"w3host/record/journal"
)

const (
	// goodAfter is how long a host serves before the games that it has taken over count as sound.
	goodAfter = 500 * time.Millisecond
	// journalWithin is how long the journal of a taken-over game waits for room in the queue of its writer.
	journalWithin = 10 * time.Second
	// goneEvery is how often the end of the supervisor is logged.
	goneEvery = time.Minute
)

// adopter implements takeover.Host.
type adopter Host

// Call implements takeover.Host.
func (a *adopter) Call(f func()) bool { return a.shard.Wait(f) }

// Guard implements takeover.Host.
func (a *adopter) Guard(id uint32, do func() error) error { return a.shard.guard(id, do) }

// AwaitJournal implements takeover.Host.
func (a *adopter) AwaitJournal(bytes int) { a.shard.journals.Await(bytes, journalWithin) }

// Stays implements takeover.Host. New players cannot join a lobby that stays in the old process, so another one opens.
func (a *adopter) Stays(id uint32) { a.Keep(func(k *autohost.Keeper) { k.Started(id) }) }

// Ended implements takeover.Host.
func (a *adopter) Ended(id uint32) { a.Keep(func(k *autohost.Keeper) { k.Ended(id) }) }

// List implements takeover.Host.
func (a *adopter) List(g *takeover.Game, seen takeover.Observer) {
	if seen == nil {
		a.Remove(g.ID)
		return
	}
	i := seen.(*registry.Facts).Info.Clone()
	i.Playing, i.Apart = true, true
	a.Add(&i)
}

// Adopt implements takeover.Host.
func (a *adopter) Adopt(c *takeover.Claim) takeover.Audience {
	h := (*Host)(a)
	g := h.inheritedGame(c.Game)
	b := &behind{g: g, observers: g.recorders(c.Replay.File != "" || c.Records && !c.Header.Playing)}
	b.records, b.replay = g.records, g.replay
	if c.Revived == nil {
		return b
	}
	g.behind = b
	g.records, g.replay = gamelog.Resume(h.shard.opts.Recorder, c.Key, c.Header.Opened, math.MaxUint64), nil
	g.facts = *c.Facts.(*registry.Facts)
	g.facts.Registry, g.observers = h.Registry, g.own()
	g.journal = journal.Resume(nil, c.Ledger, c.Header.Journal, nil, c.Writer, c.Sum, c.Keep || g.facts.Desynced)
	if !h.shard.Wait(func() { h.adopt(g, c) }) {
		g.log.Error().Msg("a game ends with this process: the host has stopped before the game could go on")
		b.records.Crashed(time.Now(), errHostStops.Error())
		b.replay.End()
		return nil
	}
	return b
}

// inheritedGame returns a game whose machine is still to be set.
func (h *Host) inheritedGame(left *takeover.Game) *Game {
	g := &Game{
		id: left.ID, key: left.EntryKey, host: h,
		m:   &Map{Map: &w3map.Map{File: left.Header.Map}},
		log: h.shard.log.With().Uint32("game", left.ID).Stringer("key", left.Key).Logger(),
	}
	g.spec = &lobbySpec{m: g.m, file: left.File, by: left.By, private: left.Private, order: autohost.Order{Entry: left.Entry}}
	if m, ok := left.Map.(*Map); ok {
		g.m, g.spec.m = m, m
	}
	g.variants = left.Variants
	g.links = make(map[game.LinkID]*link)
	g.shard, g.carrier = h.shard, g
	g.about = left.Replay
	g.opened = (left.Left.Opened - h.shard.epoch).Truncate(time.Microsecond) // the resolution of journals
	g.records = gamelog.Resume(h.shard.opts.Recorder, left.Key, left.Header.Opened, left.Left.Recorded())
	return g
}

// adopt gives a rebuilt game its sockets and continues it.
func (h *Host) adopt(g *Game, c *takeover.Claim) {
	s, v := g.shard, c.Revived
	g.machine, g.ledger, g.lastID, g.playing, g.held = v.Machine, v.Ledger, v.LastID, v.Playing, true
	g.noteHead(&c.Header)
	g.spec.name, g.spec.setup, g.extendedWait = v.Config.Name, v.Config, v.Config.Reconnect.ExtendedWait
	if g.open.Store(!v.Playing); c.Again {
		g.spec.again = &v.Config
	}
	h.mu.Lock()
	h.games[g.id] = g
	h.mu.Unlock()
	h.Add(&g.facts.Info)
	h.running = append(h.running, g)
	g.group = s.Group(g, g.id)
	if v.Playing {
		h.Keep(func(k *autohost.Keeper) { k.Started(g.id) })
	}
	defer s.inherited.CloseSockets(c.Game) // those that no link has taken over
	defer g.rescue()
	unread := map[*link][]byte{}
	var ended []*link
	people := map[*survive.Person]*person{}
	for pid, was := range v.Proxies {
		if was != nil { // the player may have no link
			g.proxies[pid] = g.takePerson(was, people)
		}
	}
	for _, was := range v.Open() {
		l := g.takeLink(was, v, c.Socket(was.ID), people)
		if was.Closing {
			l.Finish(errors.New(was.Why))
			continue
		}
		missing, err := g.missing(was, l)
		if err != nil {
			l.log().Error().Err(err).Str("player", l.name).Msg("a connection cannot be taken over")
			ended = append(ended, l)
		} else if len(was.Rest)+len(missing) > 0 {
			unread[l] = missing
		}
	}
	g.step(&game.Input{Kind: game.Survived, By: s.Now() - g.opened - v.Last})
	g.endLinks(v, ended)
	for l, data := range unread {
		s.Handle(l.Conn, data)
	}
	if v.Playing {
		g.offerToWatch()
	} else {
		h.openLeft(g, c.Leased)
	}
	if s.Stopping() { // since it was claimed
		g.stopNow()
	}
	g.log.Info().Int("inputs", v.Inputs).Int("links", len(g.links)).Bool("lobby", !v.Playing).Msg("game taken over from the process before")
}

// openLeft lists a lobby that was taken over, and asks again the questions that may not have been answered. leased: it
// had a lease of the previous process, which is lost, so new players cannot join and another lobby opens.
func (h *Host) openLeft(g *Game, leased bool) {
	if leased {
		g.closeToStrangers()
		if len(g.links) == 0 {
			g.step(&game.Input{Kind: game.Stop, Why: "another host may have this lobby"})
		}
	}
	g.show()
	for _, l := range g.seats {
		if l == nil {
			continue
		}
		g.rate(l)
		g.recall(l)
		if l.realm != "" {
			g.bear(l)
		}
		if l.realm != "" && !l.vouched {
			g.prove(l)
		}
	}
}

// takePerson returns the person for a player of an earlier process, always the same one for a player.
func (g *Game) takePerson(was *survive.Person, people map[*survive.Person]*person) *person {
	p := people[was]
	if p == nil {
		p = &person{name: was.Name, realm: was.Realm, vouched: was.Vouched, lastAddr: was.Addr.Addr(), line: was.Line}
		p.packets = admission.NewPacketLimiter(g.shard.opts.Limits.PacketRate, g.shard.Now())
		if was.Proxy != nil {
			p.proxy = &proxy{Proxy: *was.Proxy}
		}
		people[was] = p
	}
	return p
}

// missing returns the bytes of a link that the previous process had read but not yet journalled.
func (g *Game) missing(was *survive.Link, l *link) ([]byte, error) {
	c, err := g.shard.inherited.Supervisor.Count(l.Copied())
	switch {
	case err != nil:
		return nil, err
	case was.Skip > 0:
		return nil, fmt.Errorf("%d bytes more were written than were made", was.Skip)
	}
	return was.Missing(c.Read, l.heldAs(), g.shard.inherited.Buffers())
}

// takeLink returns the link for a link of an earlier process; fd is its socket.
func (g *Game) takeLink(was *survive.Link, v *survive.Revived, fd int, people map[*survive.Person]*person) *link {
	s := g.shard
	l := &link{shard: s, game: g, id: was.ID, pid: was.PID, backlogReported: true, stream: v.Follow(was), held: true}
	l.person = g.takePerson(was.Person, people)
	l.packets.PartsSent(was.Parts)
	at := loop.Stream{Taken: was.Taken, Rest: was.Rest, Queue: was.Queue}
	s.Adopt(fd, was.Addr, at, g.shard.opts.Limits.OutQueue, func(c *loop.Conn) loop.Handler {
		l.Conn = c
		return l
	})
	l.Keep(l)
	if !was.Closing {
		g.links[l.id] = l
		if l.pid != 0 {
			g.seats[l.pid] = l
		}
		if v.Playing {
			s.ReadInTime(g.group, l.Conn)
		}
		for i := range was.Pieces {
			p := &was.Pieces[i]
			l.fetching = true
			l.QueuePiece(loop.Piece{Parts: g.m.Parts, At: p.At, End: p.End, To: p.PID, From: p.From})
		}
	}
	return l
}

var errOutage = errors.New("the connection ended while the host was away")

// endLinks cuts the links that cannot continue, and tells the machine about those that had already ended.
func (g *Game) endLinks(v *survive.Revived, ended []*link) {
	for _, l := range ended {
		l.Cut(errOutage)
	}
	for _, id := range v.Skipped {
		if l := g.links[id]; l != nil {
			l.Cut(loop.ErrCrashed)
		}
	}
	for _, was := range v.Gone() {
		g.step(&game.Input{Kind: game.Lost, Link: was.ID, Why: errOutage.Error()})
	}
}

// Len implements takeover.Audience.
func (b *behind) Len() int { return len(b.observers) }

// Observe implements takeover.Audience.
func (b *behind) Observe(observer int, f *game.Stamped) {
	b.g.observeFrom(b.observers[observer:observer+1], 0, f)
}

// Live implements takeover.Audience.
func (b *behind) Live(c *takeover.Claim) {
	g := b.g
	if c.Revived == nil {
		b.close(c)
		return
	}
	g.behind = nil
	if c.Err == nil {
		g.journal.Attach(g.shard.journals, c.Written)
	} else {
		g.log.Error().Err(c.Err).Msg("the replay and the records of a game that goes on are lost")
		b.records.Crashed(time.Now(), c.Err.Error())
		b.replay.End()
	}
	if !c.Whole {
		g.journal.Keep()
		g.journal.End(false) // it shows how the process ended
	}
	switch {
	case g.over:
		g.journal.End(c.Err == nil)
	case c.Err == nil:
		g.records, g.replay = b.records, b.replay
		g.notePlaying() // it may have started meanwhile
		for i, o := range b.observers {
			if o != nil && !c.Left.Muted(i) {
				g.observers = append(g.observers, o)
			}
		}
		g.offerToWatch()
	}
	if g.ledger == nil && !g.rebuilding {
		c.Left.Forget()
	}
}

// close ends the journal, records and replay of a game that is over or cannot be rebuilt.
func (b *behind) close(c *takeover.Claim) {
	j := journal.Resume(nil, nil, c.Header.Journal, nil, game.Journal{}, 0, c.Err != nil)
	j.Attach(b.g.shard.journals, c.Written)
	file := j.End(false)
	if c.Err != nil {
		b.g.log.Error().Err(c.Err).Str("journal", file).Msg("a game cannot be made again: its players see a closed connection")
		b.records.Crashed(time.Now(), c.Err.Error())
	}
	b.replay.End()
}

// watchHolder tells the supervisor that the loop runs, and notes in the ledgers that the games are sound. It logs the end
// of the supervisor, which only a failed message shows. It is called at each heartbeat of the loop.
func (h *Host) watchHolder() {
	supervisor := h.shard.inherited.Supervisor
	if supervisor == nil || h.goodAt == 0 || h.shard.Now() < h.goodAt {
		return
	}
	if n := h.shard.opts.Standby; n > 0 && len(h.running) >= n && !h.shard.leaving {
		supervisor.KeepStandby()
	}
	if supervisor.Alive(); supervisor.Gone() && (h.holderGone == 0 || h.shard.Now()-h.holderGone >= goneEvery) {
		h.holderGone = h.shard.Now()
		h.shard.log.Warn().Msg("the supervisor (w3host serve --supervise) has ended: games end with this process")
	}
	for _, g := range h.running {
		if g.held && g.ledger != nil && g.behind == nil { // while observers catch up, they may still crash the process
			g.ledger.ClearCrashes()
		}
	}
}
