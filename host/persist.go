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

// knownEvery is the age of facts that are recorded again at least after the process has died: older
// ones have surely reached the spool.
const knownEvery = 5 * time.Second

// openLedger begins the journal of a game in memory that outlives the process.
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

// protect keeps a lobby or game held, as long as there is room for its journal.
func (g *Game) protect() {
	now := g.shard.Now()
	switch {
	case g.ledger.Full():
		g.expose(errors.New("there is no room in memory for its journal"))
	case now >= g.knownAt+knownEvery && !g.shard.leaving && g.behind == nil: // else the spool takes no more records
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

// hold gives the ledger to the holder. Links follow as they join.
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

// holdMemory gives the memory of the ledger to the holder. If the holder is busy, protect tries again.
func (g *Game) holdMemory() {
	err := g.shard.inherited.Supervisor.Put(hold.GameName(g.id), g.ledger.Memory().FD())
	g.held = err == nil
	if errors.Is(err, syscall.EAGAIN) {
		g.unheld = true
	} else if err != nil {
		g.expose(err)
	}
}

// notePlaying notes the facts that are known at the game's start only.
func (g *Game) notePlaying() {
	if g.ledger == nil || !g.playing || g.head.Playing || g.behind != nil { // whose replay has no name yet
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

// follow begins to note the bytes of a link. Its socket is held as soon as those read
// together with the join are handled, or with the next tick if that was so before.
func (l *link) follow() {
	if l.game.ledger == nil || l.stream.Begun() {
		return
	}
	l.stream = l.game.ledger.Follow(l.id, l.Taken())
	l.noteProxy()
	l.Keep(l)
	l.game.unheld = true
}

// holdOrExpose has a link held if it is not yet. Where that is not possible, the game is not
// held any more.
func (l *link) holdOrExpose() {
	if !l.stream.Begun() || l.held || l.pid == 0 || l.State() >= loop.Closing {
		return
	}
	if err := l.hold(); errors.Is(err, syscall.EAGAIN) { // the holder is busy
		l.game.unheld = true
	} else if err != nil {
		l.game.expose(err)
	}
}

// hold gives a link's socket to the holder, and notes where its streams are.
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

// Reading implements loop.Keeper: the bytes read are found in the memory of the host.
func (l *link) Reading() {
	if l.stream.Begun() && l.held {
		l.shard.readBuffer.Reading(l.heldAs(), l.stream.Noted())
	}
}

// Kept implements loop.Keeper: the bytes read are noted.
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

// Dropped implements loop.Keeper.
func (l *link) Dropped() {
	if l.held {
		l.shard.inherited.Supervisor.Drop(l.heldAs())
	}
}

// expose ends the protection of a game; the game goes on.
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

// unprotect gives back everything that the game has with the holder. Its links do so when they close.
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
		l.stream = survive.Stream{} // the end of the link drops everything held of it
	}
	if !g.rebuilding && g.behind == nil { // else it is being read
		_ = g.ledger.Memory().Close() // nothing is lost with it
	}
	g.ledger = nil
}

// heedEvery is how often a lobby, which has no turns, looks for a request of the process that hosts now, and
// releaseEvery how often a lobby or game looks whether that process has caught up with it.
const (
	heedEvery    = 20 * time.Millisecond
	releaseEvery = time.Millisecond
)

// heedsEvery is how often the game looks for the wishes of the process that hosts now, besides at the end of each turn;
// 0: not at all.
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

// heed obeys the process that hosts now about a game that stayed here. It is called between two turns.
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

// release lets the other process go on with the game, whose turn has just been sent.
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
	_ = g.ledger.Memory().Close() // it belongs to the other process from now on
	g.ledger = nil
}
