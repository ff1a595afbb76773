package bots

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// onChat handles a packet 0x0F (chat). A line of another bot contains its time of sending, from which the chat delay is
// measured. A line of the host postpones "!start", because the host may be counting down.
func (p *player) onChat(now time.Duration, q *w3gs.ChatFromHost) {
	p.note(now, Event{Packet: q.Op(), PID: q.From, Value: uint32(q.Flag), Text: q.Text})
	p.need(slices.Contains(q.To, p.pid), q.Op(), "not addressed to the bot")
	p.need(q.From == p.pid || p.known.has(q.From), q.Op(), "from player %d, who is not there", q.From)
	switch {
	case q.Flag == w3gs.ChatGame && p.phase < loading:
		p.fault(q.Op(), "a line of the game in the lobby")
	case q.Flag == w3gs.ChatLobby && p.phase == playing: // one may cross the start
		p.fault(q.Op(), "a line of the lobby in the game")
	case q.Flag != w3gs.ChatGame && q.Flag != w3gs.ChatLobby:
		p.fault(q.Op(), "flag 0x%02X: hosts send text only", uint8(q.Flag))
	}
	p.report.LinesHeard++
	name, stamp, isBot := parseLine(q.Text)
	switch {
	case strings.HasPrefix(q.Text, "!start"), readySaid.MatchString(q.Text): // of another bot
	case !isBot:
		p.g.hostSpoke(now, p, q.Text)
		p.differs = p.differs || p.g.run.opts.Watch && strings.HasPrefix(q.Text, "Your game came out differently")
		p.askedReady(q.Text)
	case name == p.name:
		p.ownLine(q)
	case p.g.run.opts.Watch: // recorded lines; their times are not of this run
	case p.measured() || p.phase < playing:
		p.g.run.rec.chat.add(sinceMicros(now, stamp))
	}
}

// ownLine handles the bot's own line coming back. Hosts echo lobby lines to clients from 1.32 on only.
func (p *player) ownLine(q *w3gs.ChatFromHost) {
	if !p.reforged() || q.Flag != w3gs.ChatLobby {
		p.fault(q.Op(), "the bot's own line came back")
		return
	}
	p.echoes++
	p.need(p.echoes <= p.lines, q.Op(), "%q came back more than once", q.Text)
}

// chatter says a line if the stage allows it, and sets the alarm for the next line.
func (p *player) chatter(now time.Duration) {
	switch p.phase {
	case inLobby:
		p.say(w3gs.ChatLobby, now)
	case playing:
		if p.laggers.empty() && !p.quit {
			p.say(w3gs.ChatGame, now)
		}
	}
	if every := p.g.run.opts.ChatEvery; every > 0 && p.phase <= playing {
		p.set(alarmChat, now+every/2+time.Duration(rand.Int64N(int64(every)))+1)
	}
}

// say sends a line that contains the current time to all players.
func (p *player) say(flag w3gs.ChatFlag, now time.Duration) {
	to := p.known.list()
	if len(to) == 0 {
		return
	}
	p.lines++
	text := fmt.Sprintf("%s: line %d at %d us", p.name, p.lines, micros(now))
	p.send(&w3gs.ChatToHost{Chat: w3gs.Chat{To: to, From: p.pid, Flag: flag, Text: text}})
}

// parseLine parses a line made by say; ok is false for any other text.
func parseLine(text string) (name string, stamp uint32, ok bool) {
	name, rest, ok := strings.Cut(text, ": line ")
	if !ok {
		return "", 0, false
	}
	var number int
	_, err := fmt.Sscanf(rest, "%d at %d us", &number, &stamp)
	return name, stamp, err == nil
}

// sayStart asks for the start when the host has said nothing for startAfter, and again every startAgain.
func (p *player) sayStart(now time.Duration) {
	if p.phase != inLobby {
		return
	}
	p.set(alarmStart, now+startAgain)
	if quiet := now - p.g.hostLine; p.g.hostLine != 0 && quiet < startAfter {
		p.set(alarmStart, p.g.hostLine+startAfter)
		return
	}
	p.g.askStart(p)
}

// readyAsked matches the command that a lobby asks its players to type, such as !ready.
var readyAsked = regexp.MustCompile(`(?:^|[^!-~])([!-/:-@]ready)\b`)

// readySaid matches that command alone, as a bot types it.
var readySaid = regexp.MustCompile(`^[!-/:-@]ready$`)

// askedReady remembers that a line of the host asks players to type !ready.
func (p *player) askedReady(text string) {
	if m := readyAsked.FindStringSubmatch(text); m != nil && p.readyAs == "" {
		p.readyAs = m[1]
		p.sayReady()
	}
}

// sayReady types the ready command once, if the host asked for it and the bot has the map.
func (p *player) sayReady() {
	if p.readyAs != "" && p.ready && !p.readySaid && p.phase == inLobby {
		p.readySaid = true
		p.sayInLobby(p.readyAs)
	}
}

func (p *player) sayInLobby(text string) {
	p.send(&w3gs.ChatToHost{Chat: w3gs.Chat{To: p.known.list(), From: p.pid, Flag: w3gs.ChatLobby, Text: text}})
}
