package gamesync

import (
	"fmt"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Lag attribution thresholds.
const (
	hostLateNotice = 500 * time.Millisecond // a turn this late is felt by everybody
	hostLateEvery  = 10 * time.Second       // at most one host line in this time
	lateWindow     = 10 * time.Second       // the host's lateness is remembered once to twice this long
	slowRTT        = 500 * time.Millisecond // a connection that explains a lag by itself
	staleRTT       = 12 * time.Second       // two pings of 5 s without an answer
	fullBacklog    = 4 << 10                // bytes a socket did not take
	sayLen         = w3gs.MaxGameChatLen    // a host line in the game
)

// Cause is the cause of a lag.
type Cause string

// Causes; players read them in brackets after a name.
const (
	CauseConnection Cause = "connection" // data did not get to the player or back
	CauseComputer   Cause = "computer"   // pings are answered, turns are not
	CauseHost       Cause = "the host"   // the host itself was late by as much
	CauseUnknown    Cause = "unknown"    // pings were never measured
)

// In returns the cause in a language.
func (c Cause) In(l texts.Language) string { return texts.Known(string(c)).In(l) }

// Lag is the record of one lag, made when the game goes on: for whom it waited, how
// long and why. Without players it is about a turn that the host sent late. Line is
// the chat line, which is also said.
type Lag struct {
	reportOnly
	Turn     uint32        // the last turn before
	Stood    time.Duration // how long the game stood still
	HostLate time.Duration // the host's worst lateness shortly before and meanwhile
	Players  []Lagger
	Line     texts.Text
}

// Lagger is a player's part in a Lag.
type Lagger struct {
	PID    uint8
	Name   string
	Behind time.Duration // from sending the oldest unanswered turn until the player was back or gone
	Waited time.Duration // on the lag screen
	Turns  int           // turns not answered when the screen came up
	RTT    time.Duration // last known round trip; zero: never measured
	Queued int           // bytes that the socket had not taken
	Cause  Cause
	Gone   bool // left or was dropped meanwhile
}

// RTT takes the newest round trip of a player's ping.
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

// lateness is how late the host was, over a window of lateWindow and the one before.
type lateness struct {
	now, before time.Duration // the worst of each window
	since       time.Duration // when this window began
	sayAt       time.Duration // when players may read of it again
}

// add notes how late a turn was made at t.
func (n *lateness) add(t, late time.Duration) {
	if t-n.since > lateWindow {
		n.before, n.now, n.since = n.now, 0, t
	}
	n.now = max(n.now, late)
}

func (n *lateness) worst() time.Duration { return max(n.now, n.before) }

// late notes how late a turn was made, and says so to all if it was late enough to be felt.
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

// lagLine puts a record into one line that fits the chat.
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
