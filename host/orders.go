package host

import (
	"errors"

	"w3host/fleet"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/loop"
	"w3host/protocol/gproxy"
)

// carryOut shows the facts of a step to the observers, then executes the machine's orders.
func (g *Game) carryOut(out *game.Out) {
	for i := range out.Facts {
		g.observe(&out.Facts[i])
	}
	for i := range out.Ops {
		g.order(&out.Ops[i])
	}
}

// stepped sets the loop's deadline for the game, or ends the game if it is over.
func (g *Game) stepped() {
	g.ledger.Settled()
	if !g.machine.Over() {
		g.noteShutOut()
		g.group.Touch()
		return
	}
	if file := g.journal.End(true); file != "" {
		g.log.Info().Str("file", file).Msg("journal of the game kept; run it again with w3host game rerun")
	}
	g.end()
}

// noteShutOut tells autohost when new players can no longer join the lobby, or can again. The lobby's lease then goes to
// another lobby.
func (g *Game) noteShutOut() {
	if g.facts.Info.Entry == "" || !g.open.Load() || g.machine.ShutsOut() == g.shutOut {
		return
	}
	if g.shutOut = !g.shutOut; g.shutOut {
		g.lease = fleet.Lease{}
	}
	g.shard.Keep(func(k *autohost.Keeper) { k.Shut(g.id, g.shutOut) })
}

// end releases everything that an ended game holds.
func (g *Game) end() {
	g.over = true
	g.journal.End(false)
	g.unprotect()
	g.replay.End()
	g.shut()
	g.stopShowing()
	for _, l := range g.links {
		l.pid = 0
		l.dropQuestion()
		if l.proxy != nil {
			l.Queue(gproxy.Reject{Reason: gproxy.NotFound}.AppendTo(nil))
		}
		l.Finish(errGameOver)
	}
	g.seats = [len(g.seats)]*link{}
	if g.group != nil {
		g.shard.CloseGroup(g.group)
	}
	g.host.forget(g)
}

// order executes one order.
func (g *Game) order(op *game.Op) {
	switch op.Kind {
	case game.Send, game.SendLast:
		for pid := range op.To.All() {
			if l := g.seats[pid]; l != nil && op.Kind == game.SendLast {
				l.DropPieces()
			}
			g.send(pid, op.Frame)
		}
	case game.Parts:
		if l := g.seats[op.PID]; l != nil {
			l.fetching = true
			l.QueuePiece(loop.Piece{Parts: g.m.Parts, At: op.At, End: op.End, To: op.PID, From: op.From})
		}
	case game.Seat, game.Reply, game.Close, game.Cut, game.Rate, game.Recall:
		if l := g.links[op.Link]; l != nil {
			g.orderLink(l, op)
		}
	case game.Play:
		g.play()
	case game.CheckBans:
		g.checkBans()
	case game.KeepJournal:
		g.journal.Keep()
	case game.Offer:
		g.offer(op)
	case game.Ack:
		g.acknowledge(op.To)
	case game.Again:
		g.host.again(g, op.Config)
	case game.Forget:
		g.proxies[op.PID] = nil
	case game.Ask:
		g.ask(op)
	case game.Answer:
		if op.Refused {
			op.Caller.Deny(op.Text)
		} else {
			op.Caller.Answer(op.Text)
		}
	case game.Outside:
		g.outside(op)
	}
}

// orderLink executes an order for one link.
func (g *Game) orderLink(l *link, op *game.Op) {
	switch op.Kind {
	case game.Seat:
		l.pid, g.seats[op.PID] = op.PID, l
		if g.machine.Nameless(op.PID) {
			l.name = "" // a nameless player has no rights
		}
		l.uncount()
		l.lastAddr = l.Addr.Addr()
		l.follow()
		l.goOn()
	case game.Reply:
		l.Queue(op.Frame)
	case game.Close:
		delete(g.links, l.id)
		if g.seats[l.pid] == l {
			g.seats[l.pid] = nil
		}
		l.pid = 0
		l.Finish(errors.New(op.Why))
	case game.Cut:
		l.Cut(errors.New(op.Why))
	case game.Rate:
		g.rate(l)
	case game.Recall:
		g.recall(l)
	}
}

// play starts the game: links are read when turns are due, packets for proxies are kept from now on, and the game gets its
// place in the period (registry.Place).
func (g *Game) play() {
	for _, l := range g.seats {
		if l != nil {
			l.DropPieces()
			g.shard.ReadInTime(g.group, l.Conn)
			g.began++
		}
	}
	g.playing, g.playedFrom = true, g.shard.Now()
	g.notePlaying()
	for _, p := range g.proxies {
		if p != nil {
			p.line.Keep(p.proxy.Most)
		}
	}
	if place, ok := g.shard.Place(g.id, g.shard.opts.Game.Turns.Period); ok {
		g.step(&game.Input{Kind: game.Beat, By: place - g.opened})
	}
}

// outside passes on a command that is not one of the game's.
func (g *Game) outside(op *game.Op) {
	by, caller := op.Caller, *op.Caller
	if by.PID != 0 {
		caller.Reply = func(text string) { g.Say(by, text) }
	}
	g.shard.opts.Outside(g.id, &caller, op.Text)
}

// checkBans checks all players of the lobby or game for bans.
func (g *Game) checkBans() {
	for _, l := range g.seats {
		if l == nil {
			continue
		}
		if why := l.banned(); why != "" {
			g.step(&game.Input{Kind: game.Ban, Link: l.id, Why: why})
		}
	}
}
