package gamesync

import (
	"fmt"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Thresholds for attributing lag to a cause.
const (
	hostLateNotice = 500 * time.Millisecond // a turn this late is noticed by all players
	hostLateEvery  = 10 * time.Second       // minimum time between two chat lines about the host's lateness
	lateWindow     = 10 * time.Second       // the host's lateness is remembered for one to two such windows
	slowRTT        = 500 * time.Millisecond // round trip that explains a lag by itself
	staleRTT       = 12 * time.Second       // two pings at intervals of 5 s without an answer
	fullBacklog    = 4 << 10                // bytes not accepted by a socket
	sayLen         = w3gs.MaxGameChatLen    // maximum length of a host's chat line in the game
)

// Cause is the cause of a lag.
type Cause string

// Causes. Players see them in brackets after a name.
const (
	CauseConnection Cause = "connection" // data did not reach the player or the host
	CauseComputer   Cause = "computer"   // pings are answered but turns are not
	CauseHost       Cause = "the host"   // the host itself was late by a similar amount
	CauseUnknown    Cause = "unknown"    // no ping was ever measured
)

// In returns the cause in the given language.
func (c Cause) In(l texts.Language) string { return texts.Known(string(c)).In(l) }

// Lag reports one lag when the game continues: which players it waited for, how long and why. Without
// players, it reports a turn that the host sent late. Line is the chat line about it, which is also sent.
type Lag struct {
	reportOnly
	Turn     uint32        // last turn before the lag
	Stood    time.Duration // how long the game was stopped
	HostLate time.Duration // the host's worst lateness before and during the lag
	Players  []Lagger
	Line     texts.Text
}

// Lagger is a player's part in a Lag.
type Lagger struct {
	PID    uint8
	Name   string
	Behind time.Duration // time since the oldest unanswered turn was sent
	Waited time.Duration // time on the lag screen
	Turns  int           // unanswered turns when the screen appeared
	RTT    time.Duration // last known round trip; 0 if never measured
	Queued int           // bytes not accepted by the socket
	Cause  Cause
	Gone   bool // left or was dropped during the lag
}

// RTT processes a player's latest measured round trip.
func (l *Loop) RTT(now time.Duration, pid uint8, rtt time.Duration) {
	if !l.enter(now) {
		return
	}
	if p := l.player(pid); p != nil {
		if !p.ping.known {
			p.ping.known, p.ping.smooth = true, rtt
		}
		p.ping.smooth += (rtt - p.ping.smooth) / 8
		p.ping.rtt, p.ping.at = rtt, l.t
		l.adaptive.measured = true
	}
	l.settle()
}

// lateness tracks how late the host's turns were, in the current and the previous window of lateWindow.
type lateness struct {
	now, before time.Duration // worst lateness of each window
	since       time.Duration // start of the current window
	sayAt       time.Duration // when players may be told again
}

// add records the lateness of a turn at time t.
func (n *lateness) add(t, late time.Duration) {
	if t-n.since > lateWindow {
		n.before, n.now, n.since = n.now, 0, t
	}
	n.now = max(n.now, late)
}

func (n *lateness) worst() time.Duration { return max(n.now, n.before) }

// late records the lateness of a turn, and tells all players if it was noticeable.
func (l *Loop) late(by time.Duration) {
	l.lateness.add(l.t, by)
	if by < hostLateNotice || l.t < l.lateness.sayAt {
		return
	}
	l.lateness.sayAt = l.t + hostLateEvery
	lag := &Lag{Turn: l.sent, HostLate: by}
	lag.Line = texts.Of("lag: the host was %s late", seconds(by))
	l.sink.Fact(lag)
	l.sink.Say(l.ready(), lag.Line)
}

// attribute completes the record of a player who leaves the lag screen.
func (l *Loop) attribute(p *player) Lagger {
	r := p.lag.record
	r.Behind, r.Waited, r.Queued = l.t-p.lag.from, l.t-p.lag.since, max(r.Queued, p.socket.backlog)
	switch {
	case l.lateness.worst() >= r.Behind/2:
		r.Cause = CauseHost
	case p.lag.missed, r.Queued >= fullBacklog, p.ping.rtt >= slowRTT, p.ping.known && l.t-p.ping.at > staleRTT:
		r.Cause = CauseConnection
	case !p.ping.known:
		r.Cause = CauseUnknown
	default:
		r.Cause = CauseComputer
	}
	return r
}

// lagLine formats a Lag as one chat line.
func lagLine(rec *Lag) texts.Text {
	host := texts.Of("host on time")
	if rec.HostLate >= hostLateNotice/2 {
		host = texts.Of("host %s late", seconds(rec.HostLate))
	}
	if len(rec.Players) == 1 {
		l := &rec.Players[0]
		line := texts.Of("lag: %s %s behind (%v; %v)", l.Name, seconds(l.Behind), l.Cause, host)
		if l.Gone {
			line = texts.Of("%v, gone", line)
		}
		return line
	}
	var parts []texts.Text
	line := func(names texts.Text) texts.Text { return texts.Of("lag: %v; %v", names, host) }
	for i := range rec.Players {
		l := &rec.Players[i]
		names := texts.Join(parts, ", ")
		parts = append(parts, texts.Of("%s %s (%v)", l.Name, seconds(l.Behind), l.Cause))
		more := texts.Of("%v and %d more", texts.Join(parts, ", "), len(rec.Players)-i)
		if len(line(more).String()) > sayLen {
			return line(texts.Of("%v and %d more", names, len(rec.Players)-i))
		}
	}
	return line(texts.Join(parts, ", "))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
