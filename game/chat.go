package game

import (
	"strings"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// chat passes a line to the lobby, marked if it is a command that the sender may use.
func (m *Machine) chat(s *seat, line w3gs.Chat) {
	level := m.caller(s.PID).Level
	e := lobby.Chat{PID: s.PID, Line: line, Trusted: level > command.Anyone}
	if text, ok := strings.CutPrefix(m.lobby.Plain(line.Text), string(m.cfg.Trigger)); ok { // as it is carried out
		switch u := m.commands.Find(text); {
		case u.Spec != nil && u.Private:
			e.Command, e.Private = true, true
		case u.Spec == nil:
			e.Command = level >= command.Admin // the host's commands are for admins
		case level >= u.Needs():
			e.Command, e.Urgent = true, u.Urgent
		}
	}
	m.lobby.Chat(m.now, e)
}

// Secret reports whether a chat line is a command whose arguments nobody else may
// read, such as a password, and returns the arguments. The host must not give such a
// line to Step.
func (m *Machine) Secret(text string) (rest string, ok bool) {
	line, ok := strings.CutPrefix(text, string(m.cfg.Trigger))
	if !ok {
		return "", false
	}
	if rest, ok = m.commands.Secret(line); !ok {
		rest, ok = commands.Secret(line) // though the operator has turned it off
	}
	return rest, ok
}

// Slip reports whether a chat line may contain a password by mistake: it is nearly a
// secret command. The host must not give such a line to Step.
func (m *Machine) Slip(text string) bool {
	line, triggered := command.Bare(text)
	if s := m.commands.Find(line).Spec; s != nil && !s.Secret {
		return false
	}
	return m.commands.Slip(line, triggered) || commands.Slip(line, triggered)
}

// Blank removes the arguments of a secret command, for lines from outside the game.
func Blank(line string) string {
	if rest, ok := commands.Secret(line); ok {
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), rest))
	}
	return line
}

// A player may have so many logins answered and recorded at once, and then one each so
// often. Owners and admins are no exception: anybody can own a lobby.
const (
	loginBurst = 15
	loginEvery = 5 * time.Second
)

// login records and reports the result of a player's login.
func (m *Machine) login(s *seat, in *Input) {
	s.level = in.Level
	if s.logins.Take(m.now, loginEvery, loginBurst*loginEvery) > 0 {
		return
	}
	m.fact(&Commanded{Caller: *m.caller(s.PID), Line: loginCommand, Name: loginCommand, Refused: in.Why})
	to := w3gs.Only(s.PID)
	switch {
	case in.Why == "":
		m.say(to, "You are logged in.")
	case in.By > 0:
		m.sayText(to, texts.Sentence(texts.Of("%v: wait %v", texts.Known(in.Why), (in.By+time.Second-1).Truncate(time.Second))))
	default:
		m.sayText(to, texts.Sentence(texts.Known(in.Why)))
	}
}

// said reports a line as a fact, and runs it if it is a command. A muted command is
// not reported, or a mute would not bound how much one player has stored; commands
// that matter are in the audit log.
func (m *Machine) said(e lobby.Said) {
	if !e.Muted || !e.Command {
		f := &Said{Said: e}
		if e.Game && e.To.Len() > 0 {
			for pid := range e.To.All() {
				f.Receiver = m.player(pid).Name
				break
			}
		}
		m.fact(f)
	}
	if text, ok := strings.CutPrefix(e.Text, string(m.cfg.Trigger)); ok && text != "" {
		by := m.caller(e.PID)
		m.later(said{by, text})
	}
}

// say lets the host speak to some players, or to all.
func (m *Machine) say(to w3gs.PIDs, format string, args ...any) error {
	return m.sayText(to, texts.Of(format, args...))
}

// sayAll is the act of say.
func sayAll(text string) act {
	return spoken(func(m *Machine, c *call) error { return m.sayFor(c.Name, text) })
}

// sayFor has the host say a line to all that somebody wants to be said.
func (m *Machine) sayFor(by, text string) error {
	err := m.sayText(0, texts.Plain(text))
	if err == nil {
		m.fact(&HostSaid{By: by, Text: text})
	}
	return err
}

func (m *Machine) sayText(to w3gs.PIDs, text texts.Text) error {
	return m.try(lobby.Say{To: to, Text: text})
}
