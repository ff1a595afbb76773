package lobby

import (
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// A player may give so many commands at once, and then one each so often; further ones
// are ignored. No hand types as many, and each makes lines for others and records.
const (
	commandBurst = 20
	commandEvery = 250 * time.Millisecond
)

// Chat relays a line, or hands a request on. A line that names another sender, or
// that does not belong to this phase, is ignored. So is one of a player who talks
// too much, unless it is a command: only its relay is muted.
func (l *Lobby) Chat(now time.Duration, ev Chat) {
	l.begin(now)
	if p := l.human(ev.PID); p != nil {
		l.chat(p, ev)
	}
	l.finish()
}

func (l *Lobby) chat(p *player, ev Chat) {
	l.activeAt, p.activeAt = l.now, l.now
	line := ev.Line
	if line.From != p.pid {
		return
	}
	game := l.phase == phaseStarted
	others := func(pid uint8) bool { return pid != line.To[0] }
	switch line.Flag {
	case w3gs.ChatTeam, w3gs.ChatColour, w3gs.ChatRace, w3gs.ChatHandicap:
		l.request(p, line)
		return
	case w3gs.ChatLobby:
		if game {
			return
		}
	case w3gs.ChatGame:
		if !game || line.Scope >= w3gs.ScopeSlot && slices.ContainsFunc(line.To, others) {
			return // a scope from 3 on, whatever is added to it, is for one player
		}
	default:
		return
	}
	urgent := ev.Urgent && (l.phase == phaseCounting || l.startBy > 0)
	switch {
	case ev.Command && !urgent && p.commands.Take(l.now, commandEvery, commandBurst*commandEvery) > 0:
		return
	case !ev.Command && l.now < p.mutedUntil:
		return
	}
	l.relay(p, ev, game)
	if !ev.Command || !ev.Trusted {
		l.watchFlood(p)
	}
}

// relay passes a line to those of its receivers who exist. In a lobby of 1.32 or later its sender is one of them
// if it lists itself; elsewhere the sender's client has shown the line. The scope is the
// sender's word for what their client listed: allies in the game are not the teams
// of the lobby, and from ScopeSlot on nobody agrees what is added. So neither the
// scope nor the list is questioned.
func (l *Lobby) relay(p *player, ev Chat, game bool) {
	line := ev.Line
	line.To, line.Text = nil, l.Plain(line.Text)
	said := Said{PID: p.pid, Name: p.name, Game: game, Scope: line.Scope, Text: line.Text, Command: ev.Command}
	said.Muted = ev.Private || p.muted || l.now < p.mutedUntil || l.muteAll && (!game || line.Scope == w3gs.ScopeAll)
	var hear w3gs.PIDs
	for _, pid := range ev.Line.To {
		to := l.human(pid)
		switch {
		case said.Muted || to == nil || hear.Has(pid) || to == p && (game || !l.version().Reforged()) || to != p && l.ignores(to, p):
		case l.muteAll && l.slot(p).Team != l.slot(to).Team: // or calling everybody an ally would get round it
		default:
			line.To = append(line.To, pid)
			hear |= w3gs.Only(pid)
		}
	}
	own := w3gs.Only(p.pid)
	if said.To = hear &^ own; l.cfg.Chat.Echo && l.version().Reforged() && !game && !said.Muted && hear&own == 0 {
		line.To = append(line.To, p.pid)
		hear |= own
	}
	l.broadcast(hear, &w3gs.ChatFromHost{Chat: line})
	l.sink.Said(said)
}

// Back lets a player whose connection was lost say at once the lines they could have said while they were away.
func (l *Lobby) Back(now time.Duration, pid uint8, away time.Duration) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.back(p, away)
	}
	l.finish()
}

func (l *Lobby) back(p *player, away time.Duration) {
	p.saved, p.savedUntil = 0, l.now+l.cfg.Chat.Window
	if l.cfg.Chat.Lines > 0 && l.cfg.Chat.Window > 0 {
		p.saved = int(away * time.Duration(l.cfg.Chat.Lines-1) / l.cfg.Chat.Window)
	}
}

// MaySpeak reports whether others get what a player says to all.
func (l *Lobby) MaySpeak(pid uint8) bool {
	p := l.human(pid)
	return p == nil || !p.muted && l.now >= p.mutedUntil && !l.muteAll
}

// watchFlood counts a line and mutes players who say too many.
func (l *Lobby) watchFlood(p *player) {
	if p.saved > 0 && l.now < p.savedUntil {
		p.saved--
		return
	}
	if l.cfg.Chat.Lines == 0 || l.now < p.mutedUntil {
		return
	}
	p.lines = slices.DeleteFunc(p.lines, func(at time.Duration) bool { return at <= l.now-l.cfg.Chat.Window })
	if p.lines = append(p.lines, l.now); len(p.lines) < l.cfg.Chat.Lines {
		return
	}
	p.lines = nil
	p.mutedUntil = l.now + l.cfg.Chat.Mute
	l.sink.Flooded(p.pid, l.cfg.Chat.Mute)
	l.say(w3gs.Only(p.pid), "You are muted for %v because you sent too many messages.", l.cfg.Chat.Mute)
}

func (op Mute) apply(l *Lobby) *texts.Refusal {
	return l.with(op.PID, func(p *player) {
		if p.muted = !op.Off; op.Off {
			p.mutedUntil = 0
		}
		l.sayText(0, texts.If(op.Off, "%s can speak again.", "%s is muted.", p.name))
	})
}

func (op MuteAll) apply(l *Lobby) *texts.Refusal {
	l.muteAll = !op.Off
	l.sayText(0, texts.If(op.Off, "Public chat is on again.", "Public chat is muted."))
	return nil
}

func (op Say) apply(l *Lobby) *texts.Refusal {
	if strings.TrimSpace(op.Text.String()) == "" {
		return texts.Refuse(texts.Malformed, "the message is empty")
	}
	l.sayText(op.To, op.Text)
	return nil
}

// say is the host's voice, to all or, with some named, to those.
func (l *Lobby) say(to w3gs.PIDs, format string, args ...any) {
	l.sayText(to, texts.Of(format, args...))
}

// sayText says a text to each in their language. A line in the game for one player is
// a private one: clients show it as such. Its scope is that of a slot and the
// receiver's colour, as older hosts found by trial.
func (l *Lobby) sayText(to w3gs.PIDs, text texts.Text) {
	private := to.Len() == 1
	if to == 0 {
		for pid := range l.Humans().All() {
			if !l.players[pid].quiet {
				to |= w3gs.Only(pid)
			}
		}
	}
	for left := to & l.Humans(); left != 0; {
		var line string
		var readers w3gs.PIDs
		scope := w3gs.ScopeAll
		for pid := range left.All() {
			p, reader := l.players[pid], uint8(0)
			if private {
				reader, scope = pid, w3gs.ScopeSlot+w3gs.ChatScope(l.slot(p).Colour)
			}
			in := l.anonymous(text.In(p.language), reader)
			if readers == 0 || in == line {
				line, readers = in, readers|w3gs.Only(pid)
			}
		}
		left &^= readers
		l.sendLine(readers, scope, line)
	}
}

func (op SetLanguage) apply(l *Lobby) *texts.Refusal {
	return l.with(op.PID, func(p *player) { p.language = op.Language })
}

// Language returns the language that a player reads.
func (l *Lobby) Language(pid uint8) texts.Language {
	if p := l.human(pid); p != nil {
		return p.language
	}
	return l.cfg.Voice.Language
}

// mostIgnored bounds the players whom one ignores: each line asks about all of them.
const mostIgnored = 50

func (op Ignore) apply(l *Lobby) *texts.Refusal {
	return l.with(op.PID, func(p *player) {
		p.ignored = slices.DeleteFunc(p.ignored, func(name string) bool {
			return slices.ContainsFunc(op.Names, func(other string) bool { return sameName(name, other) })
		})
		if !op.Off {
			p.ignored = append(p.ignored, op.Names...)
			p.ignored = p.ignored[max(len(p.ignored)-mostIgnored, 0):]
		}
	})
}

// ignores reports whether a player does not want to read another.
func (l *Lobby) ignores(p, other *player) bool {
	return p.ears == HearNobody || p.ears == HearAllies && l.slot(p).Team != l.slot(other).Team && l.slot(other).Team != l.observer ||
		slices.ContainsFunc(p.ignored, func(name string) bool { return sameName(name, other.name) })
}

func (op Listen) apply(l *Lobby) *texts.Refusal {
	return l.with(op.PID, func(p *player) { p.ears = op.Ears })
}

func (op Hear) apply(l *Lobby) *texts.Refusal {
	return l.with(op.PID, func(p *player) { p.quiet = op.Off })
}

func (l *Lobby) sendLine(to w3gs.PIDs, scope w3gs.ChatScope, text string) {
	line := w3gs.Chat{From: l.voice(0), To: slices.Collect(to.All()), Flag: w3gs.ChatLobby}
	limit := w3gs.MaxLobbyChatLen
	if l.phase == phaseStarted {
		line.Flag, line.Scope, limit = w3gs.ChatGame, scope, w3gs.MaxGameChatLen
	}
	mark := ""
	if l.vhost == 0 { // or the words would seem to be those of the player whose pid says them
		mark = "[" + l.hostName() + "] "
	}
	for _, part := range split(text, limit-len(mark)) {
		line.Text = mark + part
		l.broadcast(to, &w3gs.ChatFromHost{Chat: line})
	}
}

// voice is the pid that the host speaks with: the virtual host's, else a fake
// player's, else the owner's, else that of the first player but one; 0 for none. An
// observer's is the last choice, since players may not read what observers say.
func (l *Lobby) voice(but uint8) (pid uint8) {
	if l.vhost != 0 {
		return l.vhost
	}
	for _, p := range slices.Concat(l.seated(true), []*player{l.named(l.owner.name)}, l.seated(false)) {
		switch {
		case p == nil || p.pid == but:
		case l.slot(p).Team != l.observer:
			return p.pid
		case pid == 0:
			pid = p.pid
		}
	}
	return pid
}

// split cuts a text into lines of at most limit bytes, at line breaks and else as
// texts.Cut does.
func split(text string, limit int) (parts []string) {
	for line := range strings.SplitSeq(text, "\n") {
		for line = strings.TrimRight(line, " \r"); line != ""; {
			var part string
			part, line = texts.Cut(line, limit)
			parts = append(parts, part)
		}
	}
	return parts
}
