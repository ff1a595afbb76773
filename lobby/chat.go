package lobby

import (
	"strings"
	"unicode/utf8"

	"w3host/w3gs"
)

// chat relays a line, or hands a request on. A line whose sender lies about
// himself, or that does not belong to this phase, is ignored.
func (l *Lobby) chat(p *player, line w3gs.Chat) {
	if line.From != p.pid {
		return
	}
	game := l.phase == phaseStarted
	switch line.Flag {
	case w3gs.ChatTeam, w3gs.ChatColour, w3gs.ChatRace, w3gs.ChatHandicap:
		l.request(p, line)
		return
	case w3gs.ChatLobby:
		if game {
			return
		}
	case w3gs.ChatGame:
		if !game || line.Scope >= w3gs.ScopeSlot+w3gs.ChatScope(len(l.slots)) {
			return
		}
	default:
		return
	}
	if l.now < p.mutedUntil {
		return
	}
	l.relay(p, line, game)
	l.watchFlood(p)
}

// relay passes a line to those of its receivers who exist. The scope is the
// sender's word for what his client listed: allies in the game are not the teams
// of the lobby, so the list itself is not questioned.
func (l *Lobby) relay(p *player, line w3gs.Chat, game bool) {
	said := Said{PID: p.pid, Name: p.name, Game: game, Scope: line.Scope, Text: line.Text}
	toAll := !game || line.Scope == w3gs.ScopeAll
	said.Muted = p.muted || l.muteAll && toAll
	if said.Muted {
		l.emit(said)
		return
	}
	relayed := line
	relayed.To = nil
	for _, pid := range line.To {
		if pid == p.pid || l.human(pid) == nil || said.To.Has(pid) {
			continue
		}
		// Else a client could get round "mute all" by calling everybody an ally.
		if l.muteAll && !l.sameTeam(p.pid, pid) {
			continue
		}
		relayed.To = append(relayed.To, pid)
		said.To |= PIDSet(pid)
	}
	l.broadcast(said.To, &w3gs.ChatFromHost{Chat: relayed})
	l.emit(said)
}

func (l *Lobby) sameTeam(a, b uint8) bool {
	return l.slots[l.slotOf(a)].Team == l.slots[l.slotOf(b)].Team
}

// watchFlood counts a line and mutes who says too many.
func (l *Lobby) watchFlood(p *player) {
	if l.cfg.ChatLines == 0 {
		return
	}
	for len(p.lines) > 0 && p.lines[0] <= l.now-l.cfg.ChatWindow {
		p.lines = p.lines[1:]
	}
	p.lines = append(p.lines, l.now)
	if len(p.lines) < l.cfg.ChatLines {
		return
	}
	p.lines = nil
	p.mutedUntil = l.now + l.cfg.ChatMute
	l.emit(Flooded{PID: p.pid, Name: p.name, For: l.cfg.ChatMute})
	l.say(PIDSet(p.pid), "You are muted for "+l.cfg.ChatMute.String()+": too many lines.")
}

func (l *Lobby) mute(op Mute) (why string) {
	p := l.human(op.PID)
	if p == nil {
		return noPlayer(op.PID)
	}
	p.muted = !op.Off
	if op.Off {
		p.mutedUntil = 0
		l.say(PIDSet(p.pid), "You can speak again.")
	} else {
		l.say(PIDSet(p.pid), "You are muted.")
	}
	return ""
}

func (l *Lobby) sayOperation(op Say) (why string) {
	if strings.TrimSpace(op.Text) == "" {
		return "there is nothing to say"
	}
	to := op.To
	if to == 0 {
		to = l.Humans()
	}
	l.say(to, op.Text)
	return ""
}

// say is the host's voice.
func (l *Lobby) say(to PIDs, text string) {
	to &= l.Humans()
	from := l.voice()
	if to == 0 || from == 0 {
		return
	}
	line := w3gs.Chat{From: from, Flag: w3gs.ChatLobby}
	limit := w3gs.MaxLobbyChatLen
	if l.phase == phaseStarted {
		line.Flag, limit = w3gs.ChatGame, w3gs.MaxGameChatLen
	}
	for pid := range to.All() {
		line.To = append(line.To, pid)
	}
	for _, part := range split(text, limit) {
		line.Text = part
		l.broadcast(to, &w3gs.ChatFromHost{Chat: line})
	}
}

// voice is the pid that the host speaks with: the virtual host's, else a fake
// player's, else the owner's, else the first player's.
func (l *Lobby) voice() uint8 {
	if l.vhost != 0 {
		return l.vhost
	}
	var first, owner uint8
	for p := range l.seated {
		switch {
		case p.fake:
			return p.pid
		case owner == 0 && l.owner != "" && sameName(p.name, l.owner):
			owner = p.pid
		case first == 0:
			first = p.pid
		}
	}
	if owner != 0 {
		return owner
	}
	return first
}

// split cuts a text into lines of at most limit bytes: at line breaks, else at
// the last space, else between letters.
func split(text string, limit int) []string {
	var parts []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \r")
		for len(line) > limit {
			cut := strings.LastIndexByte(line[:limit+1], ' ')
			if cut <= 0 {
				for cut = limit; cut > limit-utf8.UTFMax && !utf8.RuneStart(line[cut]); {
					cut--
				}
			}
			parts = append(parts, strings.TrimRight(line[:cut], " "))
			line = strings.TrimLeft(line[cut:], " ")
		}
		if line != "" {
			parts = append(parts, line)
		}
	}
	return parts
}
