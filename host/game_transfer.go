package host

import (
	"fmt"
	"time"

	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/w3gs"
)

// After the start nobody downloads: the lobby let nobody start without the map,
// or was told to.

func (g *Game) handleMapSize(c *conn, p w3gs.MapSize) {
	if g.turns != nil {
		return
	}
	now, pid := time.Since(g.opened), c.pid
	g.show(g.lobby.Handle(now, lobby.MapReport{PID: pid, Report: p}, g.lobbyOut[:0]))
	if c.pid != pid {
		return
	}
	g.reportQueue(c)
	g.transfer(g.xfer.Report(now, pid, p, g.xferOut[:0]))
}

func (g *Game) handleMapPartOK(c *conn, p w3gs.MapPartOK) {
	if g.turns != nil {
		return
	}
	g.reportQueue(c)
	g.transfer(g.xfer.Ack(time.Since(g.opened), c.pid, p, g.xferOut[:0]))
}

func (g *Game) handleMapPartNotOK(c *conn, p w3gs.MapPartNotOK) {
	if g.turns != nil {
		return
	}
	g.reportQueue(c)
	g.transfer(g.xfer.Refuse(time.Since(g.opened), c.pid, p, g.xferOut[:0]))
}

// reportQueue tells the scheduler what of this player's parts is still here.
func (g *Game) reportQueue(c *conn) {
	_, pieces := c.backlog()
	g.xfer.Backlog(c.pid, pieces)
}

func (g *Game) tickTransfers(now time.Duration) {
	if g.xfer.Downloading() == 0 {
		return
	}
	if late, seq := g.host.lateness.since(g.lateSeq); seq != g.lateSeq {
		g.lateSeq = seq
		g.xfer.Late(now, late)
	}
	for _, c := range g.conns {
		if c != nil {
			g.reportQueue(c)
		}
	}
	g.transfer(g.xfer.Tick(now, g.xferOut[:0]))
}

func (g *Game) dropTransfer(pid uint8) {
	g.transfer(g.xfer.Leave(time.Since(g.opened), pid, g.xferOut[:0]))
}

// transfer carries out the scheduler's effects in their order.
func (g *Game) transfer(effects []mapxfer.Effect) {
	g.xferOut = nil // effects of effects get a slice of their own
	for i := range effects {
		g.transferOne(&effects[i])
	}
	g.xferOut = effects[:0]
}

func (g *Game) transferOne(e *mapxfer.Effect) {
	c := g.conn(e.PID)
	if c == nil {
		return
	}
	switch e.Kind {
	case mapxfer.Begin:
		g.log.Info().Str("player", c.name).Uint32("bytes", g.m.Size).Msg("map download begins")
		c.sendPacket(&w3gs.StartDownload{From: g.lobby.MapSender(e.PID)})
	case mapxfer.Send:
		c.sendPiece(piece{parts: g.m.Parts, at: e.Offset, end: e.End, to: e.PID, from: g.lobby.MapSender(e.PID)})
	case mapxfer.Percent:
		pid, percent := e.PID, e.Percent
		g.later(func() {
			g.show(g.lobby.Handle(time.Since(g.opened), lobby.Progress{PID: pid, Percent: percent}, g.lobbyOut[:0]))
		})
	case mapxfer.Done:
		g.downloaded(c, e)
	case mapxfer.Waiting:
		g.tell(e.PID, fmt.Sprintf("You are number %d in the queue for the map.", e.Place))
	case mapxfer.Ignored:
		g.log.Debug().Str("player", c.name).Stringer("reason", e.Why).Msg("map packet ignored")
	case mapxfer.Refused:
		g.refuseTransfer(c, e)
	case mapxfer.TooSlow, mapxfer.Cheat:
		g.book.download(c, e, false)
		g.kickLater(e.PID, e.Why.String())
	}
}

// downloaded tells everybody who has the map now, and how fast that was.
func (g *Game) downloaded(c *conn, e *mapxfer.Effect) {
	kbps := float64(e.BytesPerSecond()) / 1000
	g.log.Info().Str("player", c.name).Uint32("bytes", e.Bytes).Uint64("resent", e.Resent).Dur("took", e.Took).
		Float64("kb_per_s", kbps).Msg("map downloaded")
	g.book.download(c, e, true)
	line := fmt.Sprintf("%s has downloaded the map: %.1f MB in %.1f s, %.0f KB/s.",
		c.name, float64(e.Bytes)/1e6, e.Took.Seconds(), kbps)
	g.later(func() { g.say(0, line) })
}

// refuseTransfer tells a player why there is no map for him. He who cannot get
// it cannot play, so he has to go; where an admin may still allow it, he waits.
func (g *Game) refuseTransfer(c *conn, e *mapxfer.Effect) {
	switch e.Why {
	case mapxfer.WhyAsk:
		trigger := string(g.opts.Lobby.Trigger)
		g.later(func() {
			g.say(0, fmt.Sprintf("%s lacks the map. An admin can allow the download: %sdownload %s", c.name, trigger, c.name))
		})
	case mapxfer.WhyOff:
		g.kickLater(c.pid, "does not have the map, and downloads are off")
	default:
		g.kickLater(c.pid, "does not have the map: "+e.Why.String())
	}
}

// kickLater removes a player when the effects at hand are carried out.
func (g *Game) kickLater(pid uint8, why string) {
	c := g.conn(pid)
	g.later(func() {
		if g.conn(pid) == c { // nobody else has the pid by now
			g.show(g.lobby.Handle(time.Since(g.opened), lobby.Kick{PID: pid, Why: why}, g.lobbyOut[:0]))
		}
	})
}

// tell says a line to one player, after the effects at hand.
func (g *Game) tell(pid uint8, text string) {
	g.later(func() { g.say(lobby.PIDSet(pid), text) })
}

// endsDownload reports whether a packet ends the receiver's time in the lobby:
// clients do not expect parts of the map behind it.
func endsDownload(op w3gs.Op) bool {
	return op == w3gs.OpLeaveAck || op == w3gs.OpKickPlayer || op == w3gs.OpCountdownStart
}
