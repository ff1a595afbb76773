package gamesync

import (
	"fmt"
	"time"

	"w3host/texts"
	"w3host/w3gs"
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

// Cause is what a lag came from.
type Cause string

// Causes; players read them in brackets after a name.
const (
	CauseConnection Cause = "connection" // data did not get to the player or back
	CauseComputer   Cause = "computer"   // pings are answered, turns are not
	CauseHost       Cause = "the host"   // the host itself was late by as much
	CauseUnknown    Cause = "unknown"    // pings were never measured
)

// In is the cause in a language.
func (c Cause) In(l texts.Language) string { return texts.Known(string(c)).In(l) }

// Lag is the record of one lag, made when the game goes on: for whom it waited, how
// long and why. Without players it is about a turn that the host sent late. Line is
// the chat line, which also comes as a Say.
type Lag struct {
	tells
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

func (e RTT) apply(g *Game) {
	p := g.player(e.PID)
	if p == nil {
		return
	}
	if !p.pinged {
		p.pinged, p.smoothRTT = true, e.RTT
	}
	p.smoothRTT += (e.RTT - p.smoothRTT) / 8
	p.rtt, p.rttAt = e.RTT, g.t
	g.measured = true
}

// lateness notes how late a turn was made, and tells all if it was late enough to be
// felt.
func (g *Game) lateness(late time.Duration) {
	if g.t-g.lateSince > lateWindow {
		g.lateBefore, g.lateNow, g.lateSince = g.lateNow, 0, g.t
	}
	g.lateNow = max(g.lateNow, late)
	if late < hostLateNotice || g.t < g.lateSayAt {
		return
	}
	g.lateSayAt = g.t + hostLateEvery
	rec := &Lag{Turn: g.sent, HostLate: late}
	rec.Line = texts.Of("lag: the host was %s late", seconds(late))
	g.emit(rec, &Say{To: g.ready(), Text: rec.Line})
}

// attribute completes the record of a player who leaves the lag screen.
func (g *Game) attribute(p *player) Lagger {
	l := p.lag
	l.Behind, l.Waited, l.Queued = g.t-p.lagFrom, g.t-p.lagSince, max(l.Queued, p.backlog)
	switch {
	case g.hostLate() >= l.Behind/2:
		l.Cause = CauseHost
	case p.missed, l.Queued >= fullBacklog, p.rtt >= slowRTT, p.pinged && g.t-p.rttAt > staleRTT:
		l.Cause = CauseConnection
	case !p.pinged:
		l.Cause = CauseUnknown
	default:
		l.Cause = CauseComputer
	}
	return l
}

func (g *Game) hostLate() time.Duration { return max(g.lateNow, g.lateBefore) }

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
