package lobby

import (
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Rate limit for the commands of one player: commandBurst at once, then one per commandEvery. Further commands are
// ignored, because each causes lines to others and audit records.
const (
	commandBurst = 20
	commandEvery = 250 * time.Millisecond
)

// Chat relays a chat line or handles the request in it. It ignores lines that name another sender or do not belong to
// the current phase. Lines of a muted player are not relayed, but commands in them still work.
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
			return // any scope from ScopeSlot on addresses a single player
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

// relay sends a line to those of its receivers who exist. In a lobby of 1.32 or later the sender can be one of them; in
// other cases the sender's client has already displayed the line. Scope and receivers are taken from the sender's client
// without checks, because allies in the game need not be a team of the lobby, and clients differ in what they add to
// ScopeSlot.
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
		case l.muteAll && l.slot(p).Team != l.slot(to).Team: // otherwise players could bypass the mute by declaring everybody an ally
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

// Back lets a player whose connection was lost send the lines typed during that time at once, without being muted for
// flooding.
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

// MaySpeak reports whether other players receive what this player says to everybody.
func (l *Lobby) MaySpeak(pid uint8) bool {
	p := l.human(pid)
	return p == nil || !p.muted && l.now >= p.mutedUntil && !l.muteAll
}

// watchFlood counts a line and mutes the player if there are too many.
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

// say sends a line of the host to the players in to, or to all if to is 0.
func (l *Lobby) say(to w3gs.PIDs, format string, args ...any) {
	l.sayText(to, texts.Of(format, args...))
}

// sayText sends a text to each player in the player's language. In a game, a line for a single player is marked as
// private: its scope is ScopeSlot plus the colour of the receiver, which clients display so; that was found by
// experiment.
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

// Language returns the language in which the host talks to a player.
func (l *Lobby) Language(pid uint8) texts.Language {
	if p := l.human(pid); p != nil {
		return p.language
	}
	return l.cfg.Voice.Language
}

// mostIgnored limits a player's ignore list, which is checked for each line.
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

// ignores reports whether p does not want to see lines of other.
func (l *Lobby) ignores(p, other *player) bool {
	return p.chatFrom == ChatFromNobody || p.chatFrom == ChatFromAllies && l.slot(p).Team != l.slot(other).Team && l.slot(other).Team != l.observer ||
		slices.ContainsFunc(p.ignored, func(name string) bool { return sameName(name, other.name) })
}

func (op SetChatFilter) apply(l *Lobby) *texts.Refusal {
	return l.with(op.PID, func(p *player) { p.chatFrom = op.From })
}

func (op SetHostMessages) apply(l *Lobby) *texts.Refusal {
	return l.with(op.PID, func(p *player) { p.quiet = op.Off })
}

func (l *Lobby) sendLine(to w3gs.PIDs, scope w3gs.ChatScope, text string) {
	line := w3gs.Chat{From: l.voice(0), To: slices.Collect(to.All()), Flag: w3gs.ChatLobby}
	limit := w3gs.MaxLobbyChatLen
	if l.phase == phaseStarted {
		line.Flag, line.Scope, limit = w3gs.ChatGame, scope, w3gs.MaxGameChatLen
	}
	mark := ""
	if l.vhost == 0 { // otherwise the line would seem to come from the player whose pid is used
		mark = "[" + l.hostName() + "] "
	}
	for _, part := range split(text, limit-len(mark)) {
		line.Text = mark + part
		l.broadcast(to, &w3gs.ChatFromHost{Chat: line})
	}
}

// voice returns the pid that lines of the host come from: the virtual host, otherwise a fake player, the owner, or the
// first player other than but; 0 if there is none. Observers are used last, because players may not see what observers
// say.
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

// split splits a text into lines of at most limit bytes, at line breaks and otherwise like texts.Cut.
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
