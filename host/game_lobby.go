package host

import (
	"time"

	"w3host/lobby"
	"w3host/w3gs"
)

// silenceCheck is how often the lobby looks for players who say nothing, and for
// those who were banned after they joined.
const silenceCheck = 5 * time.Second

func (g *Game) handleJoin(c *conn, join *w3gs.ReqJoin) {
	g.lastID++
	id := g.lastID
	g.joining[id] = c
	c.name, c.heard = join.Name, time.Since(g.opened)
	g.show(g.lobby.Handle(c.heard, lobby.Join{
		Conn:     id,
		Req:      *join,
		External: w3gs.SockAddrFrom(c.addr),
		Shared:   g.host.gate.exempt(c.addr.Addr()),
		Banned:   g.opts.Bans.Banned(join.Name, c.addr.Addr(), ""),
	}, g.lobbyOut[:0]))
	delete(g.joining, id)
}

// handlePacket takes what a player says, apart from actions and keepalives.
func (g *Game) handlePacket(c *conn, packet w3gs.Packet) {
	now := time.Since(g.opened)
	switch p := packet.(type) {
	case *w3gs.ChatToHost:
		g.chat(c, p.Chat)
	case *w3gs.Raw:
		g.show(g.lobby.Handle(now, lobby.Extra{PID: c.pid, Packet: p}, g.lobbyOut[:0]))
	case *w3gs.PongToHost:
		g.show(g.lobby.Handle(now, lobby.Pong{PID: c.pid, Tick: p.Tick}, g.lobbyOut[:0]))
		g.reportRTT(c)
	case *w3gs.LeaveGame:
		g.leave(c, p.Reason, false)
	case *w3gs.LoadedSelf:
		g.handleLoaded(c)
	case *w3gs.DropReq:
		g.handleDropVote(c)
	case *w3gs.MapSize:
		g.handleMapSize(c, *p)
	case *w3gs.MapPartOK:
		g.handleMapPartOK(c, *p)
	case *w3gs.MapPartNotOK:
		g.handleMapPartNotOK(c, *p)
	}
}

// handleGone is the end of a connection, whoever ended it.
func (g *Game) handleGone(c *conn, err error) {
	if n := c.skipped.Load(); n > 0 {
		g.log.Debug().Str("player", c.name).Int64("packets", n).Msg("packets without a meaning for a host were skipped")
	}
	if c.pid == 0 {
		return // out already; the log has said why
	}
	g.log.Info().Str("player", c.name).Uint8("pid", c.pid).Stringer("addr", c.addr).
		AnErr("reason", err).Msg("connection lost")
	g.leave(c, w3gs.LeaveDisconnect, true)
}

// leave takes a player out who has said goodbye, or whose connection is lost.
func (g *Game) leave(c *conn, reason w3gs.LeaveReason, lost bool) {
	pid := c.pid
	if g.turns == nil {
		g.show(g.lobby.Handle(time.Since(g.opened), lobby.Leave{PID: pid, Reason: reason, Lost: lost}, g.lobbyOut[:0]))
		return
	}
	if !lost {
		c.sendPacket(&w3gs.LeaveAck{})
	}
	g.release(pid).finish(kicked(reason.String()))
	g.play(g.turns.Leave(g.playTime(), pid, reason, g.turnsOut[:0]))
}

// findSilent drops players from whom nothing was heard for too long: every ping
// wants an answer, so their connection is dead without anybody having said so.
func (g *Game) findSilent(now time.Duration) {
	due := g.silence
	if now < due {
		return
	}
	g.silence = now + silenceCheck
	if now-due > silenceCheck {
		return // the host was away itself, and sent no pings
	}
	for _, c := range g.conns {
		switch {
		case c == nil:
		case now-c.heard > g.opts.Limits.LobbyTimeout:
			c.cut(errSilent) // its reader reports the end
		case c.stuck(now) > g.opts.Limits.LobbyTimeout:
			c.cut(errStuck)
		default:
			if why := g.opts.Bans.Banned(c.name, c.addr.Addr(), ""); why != "" {
				g.operate(lobby.Kick{PID: c.pid, Why: "banned: " + why})
			}
		}
	}
}

// show carries out the lobby's effects in their order.
func (g *Game) show(effects []lobby.Effect) {
	g.lobbyOut = nil // effects of effects get a slice of their own
	for _, effect := range effects {
		g.showOne(effect)
	}
	clear(effects)
	g.lobbyOut = effects[:0]
}

func (g *Game) showOne(effect lobby.Effect) {
	switch e := effect.(type) {
	case lobby.Send:
		g.sendTo(lobby.PIDSet(e.PID), e.Packet)
	case lobby.Broadcast:
		g.sendTo(e.To, e.Packet)
	case lobby.Joined:
		c := g.joining[e.Conn]
		c.pid = e.PID
		g.conns[e.PID] = c
		g.log.Info().Str("player", e.Name).Uint8("pid", e.PID).Int("slot", e.Slot+1).Stringer("addr", c.addr).Msg("player joined")
		g.book.joined(e, c)
	case lobby.Rejected:
		c := g.joining[e.Conn]
		g.log.Info().Str("player", e.Name).Stringer("addr", c.addr).Str("reason", e.Why).Msg("join refused")
		c.sendPacket(&w3gs.RejectJoin{Reason: e.Reason})
		c.finish(refuse(e.Reason, e.Why))
	case lobby.NeedsMap:
		g.log.Debug().Uint8("pid", e.PID).Uint32("has", e.Have).Msg("player lacks the map")
	case lobby.Kicked:
		g.kicked(e)
	case lobby.Left:
		reason := e.Reason.String()
		if e.Lost {
			reason = "connection lost"
		}
		if g.turns == nil {
			g.book.leftLobby(e.PID, e.Reason, reason)
		}
		g.out(e.PID, e.Name, reason)
	case lobby.Said:
		g.heard(e)
	case lobby.Flooded:
		g.log.Info().Str("player", e.Name).Dur("for", e.For).Msg("muted for talking too much")
	case lobby.CountsChanged:
		g.opts.Advertiser.Update(g.id, g.lanCount(e.Counts))
	case lobby.CountdownStarted:
		g.log.Info().Int("seconds", e.Seconds).Msg("countdown")
	case lobby.CountdownAborted:
		g.log.Info().Str("reason", e.Why).Msg("countdown stopped")
	case lobby.Started:
		g.begin(e)
	case lobby.Closed:
		g.log.Info().Str("reason", e.Why).Msg("lobby closed")
		g.book.closedLobby(e.Why)
		g.over = true
	case lobby.Refused:
		g.refused(e)
	}
}

// out closes the connection of a player who is no longer in the lobby's list.
func (g *Game) out(pid uint8, name, why string) {
	if g.turns == nil {
		g.log.Info().Str("player", name).Uint8("pid", pid).Str("reason", why).Msg("player left")
		g.dropTransfer(pid)
	}
	if c := g.release(pid); c != nil {
		c.finish(kicked(why))
	}
}

// kicked closes the connection of somebody who was put out, and has the turn loop
// take them out of a game.
func (g *Game) kicked(e lobby.Kicked) {
	g.book.kicked(e)
	g.out(e.PID, e.Name, e.Why)
	if g.turns != nil {
		g.later(func() { g.play(g.turns.Leave(g.playTime(), e.PID, leaveKicked, g.turnsOut[:0])) })
	}
}

// kicked is why the host closed a player's connection.
type kicked string

func (k kicked) Error() string { return string(k) }

// sendTo encodes a packet once and writes it to each of the players.
func (g *Game) sendTo(to lobby.PIDs, packet w3gs.Packet) {
	g.scratch = packet.AppendTo(g.scratch[:0])
	for pid := range to.All() {
		switch c := g.conn(pid); {
		case c == nil:
		case endsDownload(packet.Op()):
			c.sendLast(g.scratch)
		default:
			c.send(g.scratch)
		}
	}
}
