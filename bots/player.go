package bots

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"w3host/protocol/w3gs"
)

// Times that clients keep to.
const (
	greetAfter      = 500 * time.Millisecond
	startAfter      = 3 * time.Second // silence of the host before a bot types "!start"
	startAgain      = 5 * time.Second
	answerWithin    = 10 * time.Second // for the host to answer 0x21 (leave) or to close
	actionsComeBack = 5 * time.Second  // for own actions to come back before the bot leaves

	// A client leaves a game after maxSilence without a packet, and a lobby after maxLobbySilence without a ping (0x01).
	maxSilence      = 65 * time.Second
	maxLobbySilence = 90 * time.Second
)

// phase is the stage that one bot has reached.
type phase uint8

const (
	joining  phase = iota // 0x1E was sent and not answered yet
	inLobby               // 0x04 (accepted) has come
	starting              // between 0x0A and 0x0B
	loading               // 0x0B has come, the first counted turn has not
	playing
	leaving // 0x21 was sent
	gone
)

// alarm names something that a player does at a set time.
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

// player is one simulated client: a state machine that reads packets from stream and appends its answers to out. The mu
// of its game guards all fields. Times are measured from the start of the run.
type player struct {
	g       *game
	seat    int
	name    string
	conduct Conduct
	local   netip.AddrPort

	stream w3gs.Stream
	out    []byte // bytes that the loop must write
	paused bool   // while true, the loop must not read
	socket socket // nil: no connection
	proxy  *Proxy // between the player and the host; nil: none
	alarms [alarms]time.Duration

	phase   phase
	outcome Outcome
	why     string
	refused w3gs.RejectReason
	end     struct{ kicked, over, acked bool } // whether 0x1C, 0x14, 0x1B have come
	differs bool                               // the host said that the game differs from the recording

	pid        uint8
	quit       bool // leaves as soon as its actions have come back
	misbehaved bool
	lobbyView
	gameView
	said
	figures
}

// said tracks the actions and chat lines that the bot has sent.
type said struct {
	sent, seen uint32   // number of own actions
	answerDue  bool     // with a script: the current turn is not answered yet
	answers    []byte   // with a script: answers to turns and pings that are not sent yet
	performed  [][]byte // with a script: actions that have not come back
	lines      int      // chat lines said
	echoes     int      // lobby lines that the host sent back

	countdownAt time.Duration // when 0x0A came
}

// figures are the values that only the report uses.
type figures struct {
	heard      time.Duration // when the last packet came
	pinged     time.Duration // when the last ping (0x01) came
	report     PlayerReport
	worst      Worst         // longest interval in the measured window
	outlived   time.Duration // when the last kill happened after which a turn came
	downloaded *DownloadReport
}

func newPlayer(g *game, seat int, name string, conduct Conduct) *player {
	return &player{g: g, seat: seat, name: name, conduct: conduct, stream: *w3gs.NewStream(w3gs.MaxFrame)}
}

// begin asks the host to join a lobby (0x1E).
func (p *player) begin(now time.Duration, l lobby) {
	p.heard, p.pinged = now, now
	p.send(&w3gs.ReqJoin{
		GameID: l.id, EntryKey: l.key, ListenPort: 6112, JoinCounter: 1,
		Name: p.name, Extra: make([]byte, p.g.run.opts.Version.JoinExtra()), Internal: w3gs.SockAddrFrom(p.local),
	})
	p.set(alarmGiveUp, now+p.g.run.opts.Patience)
}

// receive handles every complete packet in the stream; now is when the bytes were read.
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

// closed handles the end of the connection.
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

// tick calls the alarms that are due.
func (p *player) tick(now time.Duration) {
	for a := range p.alarms {
		if at := p.alarms[a]; at != 0 && at <= now && p.phase != gone {
			p.alarms[a] = 0
			p.ring(alarm(a), now)
		}
	}
}

// due returns the time of the next alarm, or never.
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

// wantLeave sends 0x21 (leave), but waits up to actionsComeBack for the bot's own actions to come back.
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

// finish marks the bot as gone; the loop then closes the connection. Only the first call has an effect.
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

// fault records that the host violated the protocol. Nothing is recorded once the bot has misbehaved itself.
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

// need records a fault unless ok is true, and returns ok.
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

// scripted reports whether a script decides what the player sends now.
func (p *player) scripted() bool { return p.phase == playing && p.g.run.opts.Script != nil }
