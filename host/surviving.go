package host

import (
	"encoding/json"
	"errors"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/hold"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/record/journal"
)

// knownEvery is how long records are told again at least after the process has died: what
// was told before has surely reached the spool.
const knownEvery = 5 * time.Second

// openLedger begins the journal of a game in memory that outlives the process.
func (g *Game) openLedger() journal.Memory {
	if g.shard.left.Shelf == nil {
		return nil
	}
	var err error
	if g.ledger, err = survive.Begin(g.shard.left.Shelf); err != nil {
		g.log.Warn().Err(err).Msg("this game ends with the process of the host")
		return nil
	}
	g.records.Survive()
	return g.ledger
}

// noteOpened notes when the lobby opened, on a clock that the next process knows.
func (g *Game) noteOpened() {
	if g.ledger != nil {
		g.ledger.Opened(g.shard.epoch + g.shard.Now())
	}
}

// protect has the game held once it runs, and as long as there is room for its journal.
func (g *Game) protect() {
	now := g.shard.Now()
	switch {
	case g.ledger.Full():
		g.expose(errors.New("there is no room in memory for its journal"))
	case g.playing && !g.held:
		if err := g.hold(); err != nil {
			g.expose(err)
		}
	case g.held && g.holdNew():
	case now >= g.knownAt+knownEvery && !g.shard.leaving && g.behind == nil: // else the spool has what is told no more
		g.ledger.Recorded(g.told)
		g.told, g.knownAt = g.records.Fact(), now
	}
}

// holdNew gives the sockets to the holder of those who have joined since, and reports whether
// the game is exposed because that is not possible.
func (g *Game) holdNew() bool {
	for _, l := range g.links {
		if l.returning && l.stream == nil && l.State() < loop.Closing {
			if err := l.hold(); err != nil {
				g.expose(err)
				return true
			}
		}
	}
	return false
}

// A player may bring a ledgerShare of the ledger at once, 4 MiB, and a KiB a second besides.
// Players of real games bring some 200 bytes a second.
const (
	ledgerShare = 16
	ledgerByte  = time.Second >> 10
)

var errProxied = errors.New("players behind a proxy cannot be taken over")

// hold gives the sockets and the ledger to the holder. The ledger comes last, so that a
// game is held wholly or not at all.
func (g *Game) hold() error {
	for _, l := range g.links {
		if !l.known() {
			continue
		}
		if l.proxy != nil {
			return errProxied
		}
		if err := l.hold(); err != nil {
			return err
		}
	}
	g.about.File = g.replay.Name()
	if err := g.noteHead(&head{
		Key: g.records.Key(), EntryKey: g.key, Map: g.m.File, File: g.spec.file, Entry: g.info.Entry, By: g.info.By,
		Private: g.spec.private, Replay: g.about, Journal: g.journal.Name(), Opened: g.about.Opened,
	}); err != nil {
		return err
	}
	g.held = true
	return g.shard.left.Shelf.Put(hold.GameName(g.id), g.ledger.Memory().FD())
}

func (g *Game) noteHead(h *head) error {
	text, err := json.Marshal(h)
	if err == nil {
		g.ledger.Head(text)
	}
	return err
}

// hold gives a link's socket to the holder, and notes where its streams are.
func (l *link) hold() error {
	shelf, at, fd := l.shard.left.Shelf, l.Stream(), l.Copied()
	c, err := shelf.Count(fd)
	if err != nil {
		return err
	}
	if c.Read != at.Taken+uint64(len(at.Rest)) {
		return errors.New("what a player has sent was counted otherwise by the system")
	}
	l.stream = l.game.ledger.Follow(l.id, survive.Streams{Taken: at.Taken, Written: c.Written, Rest: at.Rest, Queue: at.Queue})
	l.charged = l.stream.Noted()
	l.Keep(l)
	return shelf.Put(l.heldAs(), fd)
}

func (l *link) heldAs() hold.Name { return hold.LinkName(l.game.id, uint32(l.id)) }

// Reading implements loop.Keeper: what is read is found in the memory of the host.
func (l *link) Reading() {
	if l.stream != nil {
		l.shard.flight.Reading(l.heldAs(), l.stream.Noted())
	}
}

// Kept implements loop.Keeper: what was read is noted. A player who sends more than a share
// of the ledger is cut, since a full ledger would end the protection of the whole game.
func (l *link) Kept(rest []byte) {
	if l.stream == nil {
		return
	}
	l.stream.Kept(l.Taken(), rest)
	more := l.stream.Noted() - l.charged
	l.charged = l.stream.Noted()
	most := time.Duration(len(l.game.ledger.Memory().Bytes())/ledgerShare) * ledgerByte
	if l.stored.Take(l.shard.Now(), time.Duration(more)*ledgerByte, most) > 0 {
		l.Cut(errLedger)
	}
}

// Dropped implements loop.Keeper.
func (l *link) Dropped() { l.shard.left.Shelf.Drop(l.heldAs()) }

// expose ends the protection of a game; the game goes on.
func (g *Game) expose(why error) {
	g.log.Warn().Err(why).Msg("this game ends with the process of the host")
	for _, l := range g.links {
		if l.stream != nil {
			l.stream = nil
			l.Keep(nil)
			l.Dropped()
		}
	}
	g.unprotect()
}

// unprotect gives back what the game has with the holder. Its links do so when they close.
func (g *Game) unprotect() {
	if g.ledger == nil {
		return
	}
	if g.held {
		g.shard.left.Shelf.Drop(hold.GameName(g.id))
		g.ledger.Ended()
	}
	g.journal.Forget()
	for _, l := range g.links {
		l.stream = nil
	}
	if !g.standing && g.behind == nil { // else it is being read
		_ = g.ledger.Memory().Close() // nothing is lost with it
	}
	g.ledger = nil
}

// heed does what another process wants of a game that stayed here, whose turn has just been sent.
func (g *Game) heed() {
	if !g.shard.leaving || !g.held || g.ledger == nil {
		return
	}
	switch g.ledger.Wanted() {
	case survive.ToGoOn:
		if g.behind == nil {
			g.leave()
		}
	case survive.ToEnd:
		g.ledger.Left().Want(survive.Nothing)
		g.step(&game.Input{Kind: game.Command, Caller: &command.Caller{Name: "operator", Level: command.Root, Via: command.ViaControl}, Line: "end"})
	}
}

// leave lets the other process go on with the game, whose turn has just been sent.
func (g *Game) leave() {
	g.over = true
	g.stopShowing()
	g.replay.Leave()
	g.journal.Leave()
	for _, l := range g.links {
		l.dropQuestion()
		l.Leave()
	}
	for c := range g.shard.Expiring(loop.Closing) {
		if l, ok := c.Handler.(*link); ok && l.game == g {
			c.Leave()
		}
	}
	g.shard.CloseGroup(g.group)
	g.host.forget(g)
	g.log.Info().Msg("the next process goes on with the game")
	_ = g.ledger.Memory().Close() // it belongs to the other process from now on
	g.ledger = nil
}
