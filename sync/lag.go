package gamesync

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// screen is the state of the lag screen.
type screen struct {
	laggers  w3gs.PIDs
	votes    w3gs.PIDs     // players who have voted to drop the lagging ones
	since    time.Duration // when it appeared
	renewAt  time.Duration // when it must be renewed
	remindAt time.Duration // when the others are next reminded of absent players
	left     []Lagger      // players who were on this screen and are off it again
}

// DropVote processes a player's 0x29. Lagging players are dropped when players with more than half of the
// votes of those who do not lag have voted. While players load in game, it takes more than half of all players, because otherwise
// the first two to load could remove the rest.
func (l *Loop) DropVote(now time.Duration, pid uint8) {
	if l.enter(now) {
		if l.ready().Has(pid) && !l.screen.laggers.Has(pid) && l.screenIsUp() {
			l.screen.votes |= w3gs.Only(pid)
		}
		l.settle()
	}
}

// overdue returns the players who are too far behind for the game to continue.
func (l *Loop) overdue() w3gs.PIDs {
	var laggers w3gs.PIDs
	for pid := range l.live.All() {
		if p := l.byPID[pid]; l.behind(p) > l.pace.limit && !l.exempt(p) {
			laggers |= w3gs.Only(pid)
		}
	}
	return laggers
}

// expired returns the players who have used up their time on the lag screen.
func (l *Loop) expired() w3gs.PIDs {
	var pids w3gs.PIDs
	for pid := range l.screen.laggers.All() {
		if l.hasDropTime(pid) && l.t >= l.byPID[pid].lag.dropAt {
			pids |= w3gs.Only(pid)
		}
	}
	return pids
}

func (l *Loop) exempt(p *player) bool { return p.Observer && l.cfg.ObserversNeverStop }

// hasCaughtUp reports whether a player is less than half the lag limit behind.
func (l *Loop) hasCaughtUp(p *player) bool { return 2*l.behind(p) < l.pace.limit }

// watchObservers stops waiting for the hashes of lagging observers. It drops observers who are further behind
// than the lag limit plus DropAfter. An observer who has reconnected gets DropAfter to catch up.
func (l *Loop) watchObservers() {
	late, live := l.hashes.skipped, l.live
	for pid := range l.live.All() {
		switch p := l.byPID[pid]; {
		case !l.exempt(p):
		case l.behind(p) > l.observerBound(p) && l.t >= p.lag.catchUp:
			l.drop(p, WhyObserverBehind)
		case l.behind(p) > l.pace.limit:
			l.hashes.skipped |= w3gs.Only(pid)
		}
	}
	if l.hashes.skipped != late || l.live != live {
		l.settle()
	}
}

func (l *Loop) observerBound(p *player) int {
	limit := l.cfg.DropAfter
	if l.absent.Has(p.PID) {
		limit = p.lag.wait
	}
	if limit == 0 {
		return w3gs.MaxSyncLimit
	}
	return l.pace.limit + int(limit/l.pace.period)
}

func (l *Loop) screenIsUp() bool {
	if l.phase == loading {
		return l.cfg.LoadInGame && l.ready() != 0
	}
	return l.phase == lagging
}

func (l *Loop) screenUp(laggers w3gs.PIDs) {
	l.phase, l.screen.laggers, l.screen.votes = lagging, laggers, 0
	l.screen.since, l.screen.renewAt = l.t, l.t+l.cfg.LagReset
	l.screen.left = l.screen.left[:0]
	for pid := range laggers.All() {
		p := l.byPID[pid]
		p.lag.since, p.lag.from = l.t, l.hashes.ring.at(p.acked+1).sentAt
		p.lag.dropAt, p.lag.missed = l.t+l.lagLimit(p), l.absent.Has(pid)
		p.lag.charged, p.lag.before = l.t, l.cfg.DropAfter-l.lagLeft(p)
		p.lag.record = Lagger{PID: pid, Name: p.Name, Turns: l.behind(p), RTT: p.ping.rtt, Queued: p.socket.backlog}
	}
	l.send(l.live, l.startLag(laggers))
	l.screen.remindAt = l.t
	l.sink.Fact(&ScreenUp{Turn: l.sent, Laggers: laggers})
}

// offScreen removes a player from the lag screen.
func (l *Loop) offScreen(p *player, gone bool) {
	l.screen.laggers &^= w3gs.Only(p.PID)
	record := l.attribute(p)
	if record.Cause != CauseHost {
		l.charge(p)
	}
	record.Gone = gone
	l.screen.left = append(l.screen.left, record)
	l.send(l.live, &w3gs.StopLag{Lagger: l.lagger(p)})
}

// resume continues with turns, in phase with the earlier ones. The waiting time is not made up for.
func (l *Loop) resume() {
	l.phase, l.suspendedTurn = running, 0
	if l.pace.due <= l.t {
		l.pace.due += ((l.t-l.pace.due)/l.pace.period + 1) * l.pace.period
	}
	rec := &Lag{
		Turn: l.sent, Stood: l.t - l.screen.since, HostLate: l.lateness.worst(),
		Players: slices.Clone(l.screen.left),
	}
	rec.Line = lagLine(rec)
	l.sink.Fact(rec)
	l.sink.Say(l.live, rec.Line)
}

// renewScreen hides the lag screen, sends an empty 0x0C without duration and shows the screen again, before
// clients conclude that the host is gone. Clients do not answer that packet, so it does not count as a turn.
func (l *Loop) renewScreen() {
	laggers := l.Laggers()
	from := len(l.out.frames)
	for pid := range laggers.All() {
		l.out.frames = (&w3gs.StopLag{Lagger: l.lagger(l.byPID[pid])}).AppendTo(l.out.frames)
	}
	l.broadcast(l.ready(), from)
	l.deliverEmpty()
	every := l.cfg.LagReset
	if l.phase == loading {
		every = min(every, loadReset)
	}
	l.screen.renewAt = l.t + every
	l.send(l.ready(), l.startLag(laggers))
}

// countVotes drops the lagging players if enough votes were cast.
func (l *Loop) countVotes() {
	electors := l.live &^ l.screen.laggers
	if l.screenIsUp() && l.screen.votes&electors != 0 && 2*l.sink.Ballots(l.screen.votes&electors, electors) > l.sink.Ballots(electors, electors) {
		l.dropAll(l.Laggers(), WhyVotedOut)
	}
}

func (l *Loop) startLag(laggers w3gs.PIDs) *w3gs.StartLag {
	p := &w3gs.StartLag{Laggers: make([]w3gs.Lagger, 0, laggers.Len())}
	for pid := range laggers.All() {
		p.Laggers = append(p.Laggers, l.lagger(l.byPID[pid]))
	}
	return p
}

// lagger returns a player's row of the lag screen. For loading players the time starts at 0.
func (l *Loop) lagger(p *player) w3gs.Lagger {
	if l.phase == loading {
		return w3gs.Lagger{PID: p.PID}
	}
	return w3gs.Lagger{PID: p.PID, LagMillis: uint32((l.t - p.lag.since + p.lag.before) / time.Millisecond)}
}
