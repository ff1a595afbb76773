package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/record/gamelog"
)

const (
	// goodAfter is how long a host serves before the games that it has taken over count as
	// sound.
	goodAfter = 500 * time.Millisecond
	// journalWithin is how long the journal of a game that goes on waits for its turn to be written.
	journalWithin = 10 * time.Second
	// goneEvery is how often the log says that the holder has ended.
	goneEvery = time.Minute
)

// info is the game before its first fact.
func (g *survivor) info() Info {
	return Info{ID: g.id, Map: g.Map, Entry: g.Entry, By: g.By, Since: g.head.Opened}
}

// survivorGame is the game around the machine to come.
func (h *Host) survivorGame(sv *survivor) *Game {
	g := &Game{
		id: sv.id, key: sv.EntryKey, host: h,
		m:   &Map{Map: &w3map.Map{File: sv.Map}},
		log: h.shard.log.With().Uint32("game", sv.id).Stringer("key", sv.Key).Logger(),
	}
	g.spec = &lobbySpec{m: g.m, file: sv.File, by: sv.By, private: sv.Private, order: autohost.Order{Entry: sv.Entry}}
	g.info = sv.info()
	g.variants = sv.Variants
	g.links = make(map[game.LinkID]*link)
	g.shard, g.carrier = h.shard, g
	g.about = sv.Replay
	g.opened = (sv.Left.Opened - h.shard.epoch).Truncate(time.Microsecond) // the resolution of journals
	g.records = gamelog.Resume(h.shard.opts.Recorder, sv.Key, sv.head.Opened, sv.Recorded())
	g.observeBy(sv.Replay.File != "" || sv.Records && !sv.Playing, (*ownObserver)(g))
	return g
}

// adopt gives a game that was made again its sockets, and has it go on.
func (h *Host) adopt(g *Game, v *survive.Revived, sv *survivor) {
	s := g.shard
	g.machine, g.ledger, g.lastID, g.playing, g.held = v.Machine, v.Ledger, v.LastID, v.Playing, true
	g.noteHead(&sv.head)
	if sv.m != nil {
		g.m, g.spec.m = sv.m, sv.m
	}
	g.spec.name, g.spec.setup, g.extendedWait = v.Config.Name, v.Config, v.Config.Reconnect.ExtendedWait
	if g.open.Store(!v.Playing); sv.Again {
		g.spec.again = &v.Config
	}
	g.observers = append(g.observers, (*watcher)(g), gamelog.NewLines(g.log, h.Addr()))
	h.mu.Lock()
	h.games[g.id], h.infos[g.id] = g, &g.info
	h.mu.Unlock()
	h.running = append(h.running, g)
	g.group = s.Group(g, g.id)
	if v.Playing {
		h.Keep(func(k *autohost.Keeper) { k.Started(g.id) })
	}
	defer s.left.drop(sv, s.left.network().Reset) // that nobody has taken over
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
		l := g.takeLink(was, v, sv.sockets[was.ID], people)
		delete(sv.sockets, was.ID)
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
		h.openLeft(g, sv)
	}
	if s.Stopping() { // since it was claimed
		g.stopNow()
	}
	g.log.Info().Int("inputs", v.Inputs).Int("links", len(g.links)).Bool("lobby", !v.Playing).Msg("game taken over from the process before")
}

// openLeft lists a lobby that was taken over, and asks again what may not have been answered. A lease
// was that of the process before: nobody new comes in without it, and another lobby opens.
func (h *Host) openLeft(g *Game, sv *survivor) {
	if sv.Leased {
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

// takePerson makes a player of one that an earlier process had, once.
func (g *Game) takePerson(was *survive.Person, people map[*survive.Person]*person) *person {
	p := people[was]
	if p == nil {
		p = &person{name: was.Name, realm: was.Realm, vouched: was.Vouched, lastAddr: was.Addr.Addr(), line: was.Line}
		p.meter = newMeter(g.shard.opts.Limits.PacketRate, g.shard.Now())
		if was.Proxy != nil {
			p.proxy = &proxy{Proxy: *was.Proxy}
		}
		people[was] = p
	}
	return p
}

// missing are the bytes of a link that were read and are not in the journal.
func (g *Game) missing(was *survive.Link, l *link) ([]byte, error) {
	c, err := g.shard.left.Shelf.Count(l.Copied())
	switch {
	case err != nil:
		return nil, err
	case was.Skip > 0:
		return nil, fmt.Errorf("%d bytes more were written than were made", was.Skip)
	}
	return was.Missing(c.Read, l.heldAs(), g.shard.left.flights)
}

// takeLink makes a link of one that an earlier process had.
func (g *Game) takeLink(was *survive.Link, v *survive.Revived, fd int, people map[*survive.Person]*person) *link {
	s := g.shard
	l := &link{shard: s, game: g, id: was.ID, pid: was.PID, backlogReported: true, stream: v.Follow(was), held: true}
	l.person = g.takePerson(was.Person, people)
	l.meter.sent(was.Parts)
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

// endLinks ends those that cannot go on, and tells the machine of those that were over.
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

// catchUp shows a game that goes on to its observers, from its first fact on.
func (h *Host) catchUp(g *Game, left *survive.Left) {
	b := g.behind
	var r *survive.Rerun
	watch := func(f *game.Stamped) {
		if !h.noBehind.Load() {
			b.observe(f)
		}
	}
	run := func() (err error) {
		if h.noBehind.Load() {
			return errHostStops
		}
		if r == nil {
			if r, err = left.Follow(nil, nil, new(game.Out), watch); err != nil {
				return err
			}
		}
		return r.Run(nil)
	}
	var file []byte
	from := 0
	h.oneBehind.Lock() // the games that are played need the processor, too
	err := h.shard.guard(g.id, run)
	if err == nil {
		file, from = game.WithoutNotes(r.Journal), len(r.Journal)
		err = h.shard.guard(g.id, run) // the inputs that have come meanwhile
	}
	h.oneBehind.Unlock()
	h.shard.journals.Await(len(file), journalWithin)
	done := func() {
		if err == nil {
			err = h.shard.guard(g.id, run)
		}
		h.endBehind.Lock()
		defer h.endBehind.Unlock()
		if h.noBehind.Load() { // and all that would take it is closed
			return
		}
		g.behind = nil
		if err == nil {
			g.journal.Attach(h.shard.journals, game.AppendWithoutNotes(file, r.Journal, from))
		} else {
			g.log.Error().Err(err).Msg("the replay and the records of a game that goes on are lost")
			b.records.Crashed(time.Now(), err.Error())
			b.replay.End()
		}
		switch {
		case g.over:
			g.journal.End(err == nil)
		case err == nil:
			g.records, g.replay = b.records, b.replay
			g.notePlaying() // it may have started meanwhile
			g.observers = append(b.observers, g.observers...)
			g.offerToWatch()
		}
		if g.ledger == nil && !g.standing {
			left.Forget()
		}
	}
	if !h.shard.Wait(done) {
		done() // the loop has ended
	}
}

// awaitBehind waits until all games are observed, but not longer than ctx.
func (h *Host) awaitBehind(ctx context.Context) {
	done := make(chan struct{})
	go func() { h.catching.Wait(); close(done) }() // ends with the journals
	select {
	case <-done:
	case <-ctx.Done():
		h.endBehind.Lock()
		h.noBehind.Store(true)
		h.endBehind.Unlock()
	}
}

// watchHolder says that the games are sound, and to the holder that the loop goes round.
// It tells the log when there is no holder any more, which only a message to it shows. It is
// called at each heartbeat of the loop.
func (h *Host) watchHolder() {
	shelf := h.shard.left.Shelf
	if shelf == nil || h.goodAt == 0 || h.shard.Now() < h.goodAt {
		return
	}
	if n := h.shard.opts.Standby; n > 0 && len(h.running) >= n && !h.shard.leaving {
		shelf.KeepStandby()
	}
	if shelf.Alive(); shelf.Gone() && (h.holderGone == 0 || h.shard.Now()-h.holderGone >= goneEvery) {
		h.holderGone = h.shard.Now()
		h.shard.log.Warn().Msg("the holder (w3host hold) has ended: games end with this process")
	}
	for _, g := range h.running {
		if g.held && g.ledger != nil {
			g.ledger.Good()
		}
	}
}
