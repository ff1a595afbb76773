package gamesync

import (
	"slices"
	"time"

	"w3host/w3gs"
)

func (e DropVote) apply(g *Game) {
	if g.ready().Has(e.PID) && !g.laggers.Has(e.PID) && g.screenIsUp() {
		g.voted |= w3gs.Only(e.PID)
	}
}

// overdue is the players for whom the game must stop.
func (g *Game) overdue() w3gs.PIDs {
	var laggers w3gs.PIDs
	for pid := range g.live.All() {
		if p := g.byPID[pid]; g.behind(p) > g.syncLimit && !g.exempt(p) {
			laggers |= w3gs.Only(pid)
		}
	}
	return laggers
}

// expired is the players who have been on the lag screen for too long.
func (g *Game) expired() w3gs.PIDs {
	var pids w3gs.PIDs
	for pid := range g.laggers.All() {
		if g.drops(pid) && g.t >= g.byPID[pid].dropAt {
			pids |= w3gs.Only(pid)
		}
	}
	return pids
}

func (g *Game) exempt(p *player) bool { return p.Observer && g.cfg.ObserversNeverStop }

// back reports whether a player is less than half the limit behind.
func (g *Game) back(p *player) bool { return 2*g.behind(p) < g.syncLimit }

// watchObservers stops waiting for the hashes of observers who lag. It drops one who
// is as far behind as a player can get before being dropped: the sync limit and then
// DropAfter.
func (g *Game) watchObservers() {
	late, live := g.late, g.live
	for pid := range g.live.All() {
		switch p := g.byPID[pid]; {
		case !g.exempt(p):
		case g.behind(p) > g.observerBound(p):
			g.drop(p, WhyObserverBehind)
		case g.behind(p) > g.syncLimit:
			g.late |= w3gs.Only(pid)
		}
	}
	if g.late != late || g.live != live {
		g.settle()
	}
}

func (g *Game) observerBound(p *player) int {
	limit := g.lagLimit(p)
	if limit == 0 {
		return w3gs.MaxSyncLimit
	}
	return g.syncLimit + int(limit/g.period)
}

func (g *Game) screenIsUp() bool {
	if g.phase == loading {
		return g.cfg.LoadInGame && g.ready() != 0
	}
	return g.phase == standing
}

func (g *Game) screenUp(laggers w3gs.PIDs) {
	g.phase, g.laggers, g.voted = standing, laggers, 0
	g.stoodFrom, g.resetAt = g.t, g.t+g.cfg.LagReset
	g.stood = g.stood[:0]
	for pid := range laggers.All() {
		p := g.byPID[pid]
		p.dropAt, p.missed = g.t+g.lagLimit(p), g.absent.Has(pid)
		p.lagSince, p.lagFrom = g.t, g.history.at(p.acked+1).sentAt
		p.lag = Lagger{PID: pid, Name: p.Name, Turns: g.behind(p), RTT: p.rtt, Queued: p.backlog}
	}
	g.tell(g.live, g.startLag(laggers))
	g.remindAt = g.t
	g.emit(&ScreenUp{Turn: g.sent, Laggers: laggers})
}

// offScreen takes one player off the lag screen.
func (g *Game) offScreen(p *player, gone bool) {
	g.laggers &^= w3gs.Only(p.PID)
	l := g.attribute(p)
	l.Gone = gone
	g.stood = append(g.stood, l)
	g.tell(g.live, &w3gs.StopLag{Lagger: g.lagger(p)})
}

// resume lets turns go on, in phase with those before. The time that the game waited
// is not made up for.
func (g *Game) resume() {
	g.phase, g.suspendedTurn = running, 0
	if g.due <= g.t {
		g.due += ((g.t-g.due)/g.period + 1) * g.period
	}
	rec := &Lag{
		Turn: g.sent, Stood: g.t - g.stoodFrom, HostLate: g.hostLate(),
		Players: slices.Clone(g.stood),
	}
	rec.Line = lagLine(rec)
	g.emit(rec, &Say{To: g.live, Text: rec.Line})
}

// renewScreen takes the screen down and puts it up again around an empty 0x0C
// of no duration, before clients think that the host is gone. Clients do not
// answer that packet, so it is no turn.
func (g *Game) renewScreen() {
	laggers := g.Laggers()
	from := len(g.frames)
	for pid := range laggers.All() {
		g.frames = (&w3gs.StopLag{Lagger: g.lagger(g.byPID[pid])}).AppendTo(g.frames)
	}
	g.broadcast(g.ready(), from)
	g.deliverEmpty()
	every := g.cfg.LagReset
	if g.phase == loading {
		every = min(every, loadReset)
	}
	g.resetAt = g.t + every
	g.tell(g.ready(), g.startLag(laggers))
}

// countVotes drops the laggers once enough players want it.
func (g *Game) countVotes() {
	electors := g.live &^ g.laggers
	if g.screenIsUp() && 2*(g.voted&electors).Len() > electors.Len() {
		g.dropAll(g.Laggers(), WhyVotedOut)
	}
}

func (g *Game) startLag(laggers w3gs.PIDs) *w3gs.StartLag {
	p := &w3gs.StartLag{Laggers: make([]w3gs.Lagger, 0, laggers.Len())}
	for pid := range laggers.All() {
		p.Laggers = append(p.Laggers, g.lagger(g.byPID[pid]))
	}
	return p
}

// lagger is a player's line on the lag screen. For one who loads it counts from 0.
func (g *Game) lagger(p *player) w3gs.Lagger {
	if g.phase == loading {
		return w3gs.Lagger{PID: p.PID}
	}
	return w3gs.Lagger{PID: p.PID, LagMillis: uint32((g.t - p.lagSince) / time.Millisecond)}
}
