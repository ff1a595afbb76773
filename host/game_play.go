package host

import (
	"time"

	"w3host/lobby"
	"w3host/storage"
	gamesync "w3host/sync"
	"w3host/w3gs"
	"w3host/w3map"
)

// begin turns the lobby into a game: from here on the turn loop says who is in.
func (g *Game) begin(e lobby.Started) {
	g.started = time.Now()
	g.shut()
	cfg := g.opts.turnConfig()
	cfg.Period, cfg.SyncLimit = g.latency, g.syncLimit
	cfg.Beat, cfg.Align = g.host.beat(g.id, g.started, g.latency)
	for _, p := range e.Players {
		cfg.Players = append(cfg.Players, gamesync.Player{PID: p.PID, Name: p.Name, Team: p.Team, Observer: p.Observer})
	}
	for _, p := range e.Fakes {
		cfg.Players = append(cfg.Players, gamesync.Player{PID: p.PID, Name: p.Name, Team: p.Team, Fake: true})
	}
	g.turns = gamesync.New(cfg)
	for _, c := range g.conns {
		if c != nil {
			c.handOver(g)
		}
	}
	g.book.begun(e)
	g.log.Info().Str("map", g.m.File).Str("title", w3map.Plain(g.m.Name)).Int("players", len(e.Players)).Int("fakes", len(e.Fakes)).Str("hcl", e.HCL).Msg("game started, players are loading")
}

// turnConfig is how every game of this host is run.
func (o *Options) turnConfig() gamesync.Config {
	cfg := gamesync.Defaults()
	cfg.DropAfter = o.Game.DropAfter
	cfg.LoadTimeout = o.Limits.LoadTimeout
	cfg.LastPlayer = max(o.Game.LastPlayer, 1) // at once is the shortest wait
	cfg.ActionRate, cfg.ActionBurst = o.Limits.ActionRate, o.Limits.ActionBurst
	cfg.LoadInGame = o.Game.LoadInGame
	cfg.ObserversNeverStop = o.Game.ObserversNeverStop
	cfg.Adaptive = gamesync.Adaptive{On: o.Game.Adaptive, Min: o.Game.AdaptiveMin, Max: o.Game.AdaptiveMax}
	return cfg
}

// leaveKicked is what the others are told of somebody who was kicked.
const leaveKicked = w3gs.LeaveLost

func (g *Game) handleAction(c *conn, data []byte) {
	if g.turns == nil {
		c.cut(errEarlyAction)
		return
	}
	g.book.acted(c.pid, data)
	g.play(g.turns.Action(g.playTime(), c.pid, data, g.turnsOut[:0]))
}

func (g *Game) handleKeepalive(c *conn, sum uint32) {
	if g.turns == nil {
		c.cut(errEarlyAction)
		return
	}
	g.play(g.turns.Keepalive(g.playTime(), c.pid, sum, g.turnsOut[:0]))
}

func (g *Game) handleLoaded(c *conn) {
	if g.turns != nil {
		g.play(g.turns.Loaded(g.playTime(), c.pid, g.turnsOut[:0]))
	}
}

func (g *Game) handleDropVote(c *conn) {
	if g.turns != nil {
		g.play(g.turns.DropVote(g.playTime(), c.pid, g.turnsOut[:0]))
	}
}

// reportRTT passes on what the last pong measured: the turn loop wants to know
// whose line a lag was.
func (g *Game) reportRTT(c *conn) {
	if g.turns == nil {
		return
	}
	if p, ok := g.lobby.Player(c.pid); ok && p.RTT > 0 {
		g.turns.ReportRTT(g.playTime(), c.pid, p.RTT)
	}
}

// reportBacklogs tells the turn loop whose socket does not take what it is sent.
func (g *Game) reportBacklogs() {
	for pid, c := range g.conns {
		if c == nil {
			continue
		}
		if queued, moves := c.waiting(); queued > 0 || c.wasWaiting {
			c.wasWaiting = queued > 0
			g.turns.ReportBacklog(uint8(pid), queued, moves)
		}
	}
}

// play carries out the turn loop's effects in their order. They are valid until
// the next call into it, so whatever calls it again is put off.
func (g *Game) play(effects []gamesync.Effect) {
	for _, effect := range effects {
		switch e := effect.(type) {
		case *gamesync.Broadcast:
			for pid := range e.To.All() {
				if c := g.conns[pid]; c != nil {
					c.send(e.Frame)
				}
			}
		case *gamesync.Turn:
			g.host.lateness.note(e.Late)
			g.book.turn(e)
		default:
			g.playRare(effect)
		}
	}
	clear(effects)
	g.turnsOut = effects[:0]
}

func (g *Game) playRare(effect gamesync.Effect) {
	switch e := effect.(type) {
	case *gamesync.Send:
		if c := g.conn(e.PID); c != nil {
			c.send(e.Frame)
		}
	case *gamesync.Drop:
		if e.Why != gamesync.WhyGameOver { // then nobody is dropped: the game is over
			g.log.Warn().Str("player", g.playerName(e.PID)).Uint8("pid", e.PID).Uint32("turn", g.turns.Turns()).
				Stringer("reason", e.Why).Msg("player dropped")
		}
		g.book.dropped(e)
		if c := g.release(e.PID); c != nil {
			if e.Why == gamesync.WhyGameOver && !e.Loading {
				c.sendPacket(&w3gs.GameOver{PID: e.PID})
			}
			c.finish(kicked(e.Why.String()))
		}
	case *gamesync.PlayerLeft:
		name, why := g.playerName(e.PID), e.Why.String()
		if kick := g.book.kicks[e.PID]; kick != "" {
			why = kick
		}
		g.log.Info().Str("player", name).Uint8("pid", e.PID).Uint32("turn", e.Turn).
			Stringer("leave", e.Reason).Str("reason", why).Msg("player left the game")
		g.book.leftGame(e)
		pid, reason := e.PID, e.Reason
		g.later(func() {
			g.show(g.lobby.Handle(time.Since(g.opened), lobby.Leave{PID: pid, Reason: reason, Lost: true}, g.lobbyOut[:0]))
		})
	case *gamesync.Say:
		g.say(lobby.PIDs(e.To), e.Text)
	case *gamesync.PlayerLoaded:
		g.log.Info().Str("player", g.playerName(e.PID)).Uint8("pid", e.PID).Dur("after", e.After).Msg("player has loaded")
		g.book.loaded(e)
	case *gamesync.Started:
		g.log.Info().Dur("after", e.After).Msg("all have loaded")
		g.book.allLoaded()
	case *gamesync.PeriodChanged:
		g.log.Info().Dur("period", e.Period).Uint32("turn", e.Turn).Bool("adaptive", e.Adaptive).Msg("latency changed")
	case *gamesync.ScreenUp:
		g.log.Info().Uint32("turn", e.Turn).Int("laggers", e.Laggers.Len()).Msg("lag screen up")
	case *gamesync.Lag:
		g.log.Warn().Uint32("turn", e.Turn).Dur("stood", e.Stood).Dur("host_late", e.HostLate).Msg(e.Line)
		g.book.lagged(e)
	case *gamesync.Desync:
		g.log.Error().Uint32("turn", e.Turn).Any("groups", e.Groups).Msg("desync")
		g.book.desynced(e)
	case *gamesync.Over:
		g.log.Info().Stringer("how", e.How).Uint32("turns", e.Turns).Dur("played", e.GameTime).Msg("game over")
		g.book.gameOver(e)
		g.over = true
	}
}

// playerName is the name behind a pid, also of one who is about to go.
func (g *Game) playerName(pid uint8) string {
	if p, ok := g.lobby.Player(pid); ok {
		return p.Name
	}
	return ""
}

// endReason is how the game log calls an end of the turn loop.
func endReason(how gamesync.How) storage.EndReason {
	switch how {
	case gamesync.HowDesync:
		return storage.EndDesync
	case gamesync.HowEnded:
		return storage.EndStopped
	default:
		return storage.EndFinished
	}
}
