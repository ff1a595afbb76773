package host

import (
	"encoding/json"
	"errors"
	"syscall"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/hold"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/host/takeover"
	"w3host/record/journal"
)

// knownEvery is the minimum age of the facts that the next process does not record again after a crash: by then the spool
// has them.
const knownEvery = 5 * time.Second

// openLedger starts the game's journal in shared memory, which outlives the process. It returns nil without a supervisor.
func (g *Game) openLedger() journal.Memory {
	if g.shard.inherited.Supervisor == nil {
		return nil
	}
	var err error
	if g.ledger, err = survive.Begin(g.shard.inherited.Supervisor); err != nil {
		g.log.Warn().Err(err).Msg("this game ends with the process of the host")
		return nil
	}
	g.records.NumberRecords()
	return g.ledger
}

// protect gives the supervisor what it lacks of the game, and ends the protection when the ledger is full. It is called at
// each tick.
func (g *Game) protect() {
	now := g.shard.Now()
	switch {
	case g.ledger.Full():
		g.expose(errors.New("there is no room in memory for its journal"))
	case now >= g.knownAt+knownEvery && !g.shard.leaving && g.behind == nil: // otherwise the spool takes no more records
		g.ledger.Recorded(g.recorded)
		g.recorded, g.knownAt = g.records.Fact(), now
	}
	if !g.unheld {
		return
	}
	g.unheld = false
	if !g.held {
		g.holdMemory()
	}
	for _, l := range g.links {
		if g.ledger != nil {
			l.holdOrExpose()
		}
	}
}

// hold gives the ledger to the supervisor. Links follow as they join.
func (g *Game) hold() {
	if g.ledger == nil || g.over {
		return
	}
	h := &takeover.Header{
		Key: g.records.Key(), EntryKey: g.key, Map: g.m.File, File: g.spec.file, Entry: g.facts.Info.Entry, By: g.facts.Info.By, Private: g.spec.private,
		Replay: g.about, Records: g.replay != nil, Journal: g.journal.Name(), Opened: g.about.Opened, Variants: g.variants,
		Number: g.spec.order.Number, Leased: g.lease.Term != 0, Again: g.spec.again != nil,
	}
	if h.Leased {
		h.Session = g.shard.opts.Leases.Session()
	}
	g.noteHead(h)
	g.holdMemory()
}

// holdMemory gives the memory of the ledger to the supervisor. If the supervisor is busy, protect tries again.
func (g *Game) holdMemory() {
	err := g.shard.inherited.Supervisor.Put(hold.GameName(g.id), g.ledger.Memory().FD())
	g.held = err == nil
	if errors.Is(err, syscall.EAGAIN) {
		g.unheld = true
	} else if err != nil {
		g.expose(err)
	}
}

// notePlaying adds to the ledger's header what is known once the game has started.
func (g *Game) notePlaying() {
	if g.ledger == nil || !g.playing || g.head.Playing || g.behind != nil { // while observers catch up, the replay has no name
		return
	}
	h := *g.head
	h.Playing = true
	h.Replay.File = g.replay.Name()
	g.noteHead(&h)
}

func (g *Game) noteHead(h *takeover.Header) {
	g.head = h
	text, _ := json.Marshal(h) // it is plain data
	g.ledger.Head(text)
}

// follow begins to write the bytes of a link to the ledger. The supervisor gets its socket once the bytes that were read
// together with the join are handled, or at the next tick.
func (l *link) follow() {
	if l.game.ledger == nil || l.stream.Begun() {
		return
	}
	l.stream = l.game.ledger.Follow(l.id, l.Taken())
	l.noteProxy()
	l.Keep(l)
	l.game.unheld = true
}

// holdOrExpose gives a link to the supervisor if necessary. If that fails, it ends the protection of the game.
func (l *link) holdOrExpose() {
	if !l.stream.Begun() || l.held || l.pid == 0 || l.State() >= loop.Closing {
		return
	}
	if err := l.hold(); errors.Is(err, syscall.EAGAIN) { // the supervisor is busy
		l.game.unheld = true
	} else if err != nil {
		l.game.expose(err)
	}
}

// hold gives a link's socket to the supervisor, and writes the positions of its streams to the ledger.
func (l *link) hold() error {
	supervisor, at, fd := l.shard.inherited.Supervisor, l.Stream(), l.Copied()
	c, err := supervisor.Count(fd)
	if err != nil {
		return err
	}
	if c.Read != at.Taken+uint64(len(at.Rest)) {
		return errors.New("what a player has sent was counted otherwise by the system")
	}
	if err := supervisor.Put(l.heldAs(), fd); err != nil {
		return err
	}
	l.stream.Base(survive.Streams{Taken: at.Taken, Written: c.Written, Rest: at.Rest, Queue: at.Queue})
	l.held = true
	return nil
}

func (l *link) heldAs() hold.Name { return hold.LinkName(l.game.id, uint32(l.id)) }

// Reading implements loop.Keeper: bytes of the link are about to be read into the shared read buffer.
func (l *link) Reading() {
	if l.stream.Begun() && l.held {
		l.shard.readBuffer.Reading(l.heldAs(), l.stream.Noted())
	}
}

// Kept implements loop.Keeper: the bytes read were handled, except rest, and are written to the ledger.
func (l *link) Kept(rest []byte) {
	if !l.stream.Begun() {
		return
	}
	g := l.game
	at := g.ledger.Len()
	if l.held {
		l.stream.Kept(l.Taken(), rest)
	} else {
		l.holdOrExpose()
	}
	l.brought += g.ledger.Len() - at
	l.charge()
}

// Dropped implements loop.Keeper: the connection is closed.
func (l *link) Dropped() {
	if l.held {
		l.shard.inherited.Supervisor.Drop(l.heldAs())
	}
}

// expose ends the protection of a game, which continues but ends with the process.
func (g *Game) expose(why error) {
	g.log.Warn().Err(why).Msg("this game ends with the process of the host")
	for _, l := range g.links {
		if l.stream.Begun() {
			l.Keep(nil)
			l.Dropped()
			l.stream, l.held = survive.Stream{}, false
		}
	}
	g.unprotect()
}

// unprotect withdraws the ledger from the supervisor. Links withdraw their sockets when they close.
func (g *Game) unprotect() {
	if g.ledger == nil {
		return
	}
	if g.held {
		g.shard.inherited.Supervisor.Drop(hold.GameName(g.id))
		g.ledger.Ended()
	}
	g.journal.Forget()
	for _, l := range g.links {
		l.stream = survive.Stream{} // Dropped withdraws the socket
	}
	if !g.rebuilding && g.behind == nil { // otherwise another goroutine reads it
		_ = g.ledger.Memory().Close() // nothing is lost with it
	}
	g.ledger = nil
}

// heedEvery is the interval at which a lobby, which has no turns, checks for directives of its
// successor process during an upgrade. releaseEvery is the interval once that process has asked for
// the game: it must have executed the whole journal before the game is released.
const (
	heedEvery    = 20 * time.Millisecond
	releaseEvery = time.Millisecond
)

// heedsEvery returns how often the game checks for directives besides at the end of each turn; 0: never.
func (g *Game) heedsEvery() time.Duration {
	switch {
	case !g.shard.leaving || !g.held || g.ledger == nil || g.behind != nil:
		return 0
	case g.ledger.Wanted() == survive.ReleaseGame:
		return releaseEvery
	case !g.playing:
		return heedEvery
	}
	return 0
}

// heed obeys the directive of the process that hosts now, in a process that has retired. It is called between turns.
func (g *Game) heed() {
	if !g.shard.leaving || !g.held || g.ledger == nil {
		return
	}
	switch g.ledger.Wanted() {
	case survive.ReleaseGame:
		if g.behind == nil && g.ledger.Release() {
			g.release()
		}
	case survive.EndGame:
		g.ledger.Obeyed()
		g.step(&game.Input{Kind: game.Command, Caller: &command.Caller{Name: "operator", Level: command.Root, Via: command.ViaControl}, Line: "end"})
	}
}

// release gives the game to the process that hosts now, after a turn was sent.
func (g *Game) release() {
	g.over = true
	g.stopShowing()
	g.replay.Release()
	g.journal.Release()
	for _, l := range g.links {
		l.dropQuestion()
		l.Release()
	}
	for c := range g.shard.Expiring(loop.Closing) {
		if l, ok := c.Handler.(*link); ok && l.game == g {
			c.Release()
		}
	}
	g.shard.CloseGroup(g.group)
	g.host.forget(g)
	g.log.Info().Msg("the next process goes on with the game")
	_ = g.ledger.Memory().Close() // the other process has it
	g.ledger = nil
}
