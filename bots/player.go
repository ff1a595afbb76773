package bots

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"w3host/protocol/w3gs"
)

// Times of a client.
const (
	greetAfter      = 500 * time.Millisecond
	startAfter      = 3 * time.Second // without a line of the host, before "!start"
	startAgain      = 5 * time.Second
	answerWithin    = 10 * time.Second // for the host to answer 0x21, or to close
	actionsComeBack = 5 * time.Second  // for own actions to come back before leaving

	// maxSilence is the time without a packet after which a client leaves a game,
	// maxLobbySilence the time without a 0x01 after which it leaves a lobby.
	maxSilence      = 65 * time.Second
	maxLobbySilence = 90 * time.Second
)

// phase is the stage of a game at one client.
type phase uint8

const (
	joining  phase = iota // 0x1E is sent, no answer yet
	inLobby               // 0x04 has come
	starting              // between 0x0A and 0x0B
	loading               // 0x0B has come, the first counted turn has not
	playing
	leaving // 0x21 is sent
	gone
)

// alarm is something that a player does at a time.
type alarm uint8

const (
	alarmGreet alarm = iota
	alarmStart
	alarmLoaded
	alarmAct
	alarmChat
	alarmVote
	alarmAck
	alarmGarbage
	alarmStall
	alarmResume
	alarmLeave
	alarmMet
	alarmAway // the host has not answered 0x21
	alarmGiveUp
	alarms
)

// player is one simulated client: a state machine that reads packets from stream
// and appends its answers to out. The lock of its game guards all fields; times
// are since the run began.
type player struct {
	g       *game
	seat    int
	name    string
	conduct Conduct
	local   netip.AddrPort

	stream w3gs.Stream
	out    []byte // to be written by the loop
	paused bool   // the loop must not read
	socket socket // nil: no connection
	proxy  *Proxy // between the player and the host; nil: none
	alarms [alarms]time.Duration

	phase   phase
	outcome Outcome
	why     string
	refused w3gs.RejectReason
	end     struct{ kicked, over, acked bool } // 0x1C, 0x14, 0x1B came
	differs bool                               // the host has said that the bot's game is another one than was recorded

	pid        uint8
	quit       bool // leaves as soon as its actions are back
	misbehaved bool
	lobbyView
	gameView
	said
	figures
}

// said holds the actions and lines of the bot.
type said struct {
	sent, seen uint32   // own actions
	answerDue  bool     // script: a turn is not answered yet
	answers    []byte   // script: to turns and pings, not sent yet
	performed  [][]byte // script: actions that have not come back
	lines      int      // chat lines said
	echoes     int      // of them in the lobby

	countdownAt time.Duration // when 0x0A came
}

// figures are for the report.
type figures struct {
	heard      time.Duration // last packet
	pinged     time.Duration // last 0x01
	report     PlayerReport
	worst      Worst         // in the measured window
	outlived   time.Duration // when the host was killed before the last turn
	downloaded *DownloadReport
}

func newPlayer(g *game, seat int, name string, conduct Conduct) *player {
	return &player{g: g, seat: seat, name: name, conduct: conduct, stream: *w3gs.NewStream(w3gs.MaxFrame)}
}

// begin sends the 0x1E.
func (p *player) begin(now time.Duration, l lobby) {
	p.heard, p.pinged = now, now
	p.send(&w3gs.ReqJoin{
		GameID: l.id, EntryKey: l.key, ListenPort: 6112, JoinCounter: 1,
		Name: p.name, Extra: make([]byte, p.g.run.opts.Version.JoinExtra()), Internal: w3gs.SockAddrFrom(p.local),
	})
	p.set(alarmGiveUp, now+p.g.run.opts.Patience)
}

// receive handles every whole packet in the stream; now is when they were read.
func (p *player) receive(now time.Duration) {
	for p.phase != gone {
		f, err := p.stream.Next()
		if err != nil {
			p.fault(0, "%v", err)
			p.finish(OutcomeBroken, err.Error())
			return
		}
		if f == nil {
			return
		}
		p.handle(now, f)
	}
}

// closed is called when the host has ended the connection.
func (p *player) closed(err error) {
	if errors.Is(err, io.EOF) {
		err = errors.New("by the host")
	}
	switch {
	case p.phase == leaving:
		p.finish(OutcomeLeft, "")
	case p.end.kicked:
		p.finish(OutcomeKicked, p.why)
	case p.end.over && p.differs:
		p.finish(OutcomeEnded, "its game is another one than was recorded")
	case p.end.over && p.g.run.opts.Watch:
		p.finish(OutcomeLeft, "the record has ended")
	case p.end.over:
		p.finish(OutcomeEnded, p.why)
	default:
		p.finish(OutcomeDropped, fmt.Sprintf("connection closed after %d turns: %v", p.turn, err))
	}
}

// tick rings the alarms that are due.
func (p *player) tick(now time.Duration) {
	for a := range p.alarms {
		if at := p.alarms[a]; at != 0 && at <= now && p.phase != gone {
			p.alarms[a] = 0
			p.ring(alarm(a), now)
		}
	}
}

// due is the next alarm.
func (p *player) due() time.Duration {
	next := never
	for _, at := range p.alarms {
		if at != 0 {
			next = min(next, at)
		}
	}
	return next
}

func (p *player) set(a alarm, at time.Duration) { p.alarms[a] = max(at, 1) }

func (p *player) ring(a alarm, now time.Duration) {
	switch a {
	case alarmGreet:
		p.say(w3gs.ChatLobby, now)
	case alarmChat:
		p.chatter(now)
	case alarmStart:
		p.sayStart(now)
	case alarmLoaded:
		p.isLoaded = true
		p.send(&w3gs.LoadedSelf{})
	case alarmAct:
		p.act(now)
	case alarmVote:
		if !p.laggers.empty() && !p.laggers.has(p.pid) {
			p.send(&w3gs.DropReq{})
			p.report.Votes++
		}
	case alarmAck:
		p.ackPart(now)
	case alarmGarbage:
		p.misbehaved = true
		p.out = append(p.out, garbage(64)...)
	case alarmStall:
		p.misbehaved = true
		p.paused = true
		p.set(alarmResume, now+p.conduct.StallFor)
	case alarmResume:
		p.paused = false
		p.lastTurn, p.heard, p.pinged = 0, now, now
	case alarmLeave:
		p.wantLeave(now)
	case alarmMet:
		if p.phase == inLobby {
			p.needMet(w3gs.OpPlayerExtra)
		}
	case alarmAway:
		p.fault(w3gs.OpLeaveGame, "not answered with 0x1B or by closing within %v", answerWithin)
		p.finish(OutcomeLeft, "")
	case alarmGiveUp:
		if p.phase < loading {
			why := fmt.Sprintf("the game did not start within %v: start it in the host (autostart, or !start)", p.g.run.opts.Patience)
			if p.g.hostSaid != "" {
				why += fmt.Sprintf("; the host said %q", p.g.hostSaid)
			}
			p.finish(OutcomeGaveUp, why)
		}
	}
}

// wantLeave sends 0x21, once the bot's own actions have come back.
func (p *player) wantLeave(now time.Duration) {
	switch {
	case p.phase >= leaving:
	case p.phase == playing && !p.quit && p.seen != p.sent && p.laggers.empty() && !p.misbehaved:
		p.quit = true
		p.set(alarmLeave, now+actionsComeBack)
	default:
		if lost := p.sent - p.seen; lost > 0 && p.quit && p.laggers.empty() {
			p.report.ActionsLost = int(lost)
			p.fault(w3gs.OpIncomingAction, "%d actions never came back", lost)
		}
		p.leave(now)
	}
}

func (p *player) leave(now time.Duration) {
	reason := w3gs.LeaveLobby
	if p.phase >= loading {
		reason = w3gs.LeaveLost
	}
	p.leaveAs(now, reason)
}

func (p *player) leaveAs(now time.Duration, reason w3gs.LeaveReason) {
	p.alarms = [alarms]time.Duration{}
	p.paused = false
	p.phase = leaving
	p.send(&w3gs.LeaveGame{Reason: reason})
	p.set(alarmAway, now+answerWithin)
}

// finish ends the bot; the loop closes the connection.
func (p *player) finish(outcome Outcome, why string) {
	if p.phase == gone {
		return
	}
	p.phase = gone
	p.paused = false
	p.outcome, p.why = outcome, why
	p.alarms = [alarms]time.Duration{}
	p.closeDownload()
	p.g.finished(p)
}

func (p *player) send(packet w3gs.Packet) { p.out = packet.AppendTo(p.out) }

// fault records a violation of the protocol by the host. Hosts may do what they
// like with a bot that has misbehaved.
func (p *player) fault(op w3gs.Op, format string, args ...any) {
	if p.misbehaved {
		return
	}
	p.report.Faults++
	p.g.run.fault(Fault{
		Game: p.g.number, Player: p.name, Packet: op, Turn: p.turn,
		Text: fmt.Sprintf(format, args...),
	})
}

// need is a rule for the host: it records a fault unless ok holds, and returns ok.
func (p *player) need(ok bool, op w3gs.Op, format string, args ...any) bool {
	if !ok {
		p.fault(op, format, args...)
	}
	return ok
}

// note keeps a packet for the report if Options.Record is set.
func (p *player) note(now time.Duration, e Event) {
	if p.g.run.opts.Record && len(p.report.Events) < maxEvents {
		e.At, e.Turn = now, p.turn
		p.report.Events = append(p.report.Events, e)
	}
}

// scripted reports whether a script decides what the player sends.
func (p *player) scripted() bool { return p.phase == playing && p.g.run.opts.Script != nil }
