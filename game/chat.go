package game

import (
	"strings"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// chat passes a line to the lobby, marked as a command if the sender may use it.
func (m *Machine) chat(s *seat, line w3gs.Chat) {
	level := m.caller(s.PID).Level
	e := lobby.Chat{PID: s.PID, Line: line, Trusted: level > command.Anyone}
	if text, ok := strings.CutPrefix(m.lobby.Plain(line.Text), string(m.cfg.Trigger)); ok { // compare the line in the form in which commands are executed
		switch u := m.commands.Find(text); {
		case u.Spec != nil && u.Private:
			e.Command, e.Private = true, true
		case u.Spec == nil:
			e.Command = level >= command.Admin // only admins may use the host's commands
		case level >= u.Needs():
			e.Command, e.Urgent = true, u.Urgent
		}
	}
	m.lobby.Chat(m.now, e)
}

// Secret reports whether a chat line is a command with secret arguments, such as a password, and returns them. The host
// must handle such a line itself and not pass it to Step.
func (m *Machine) Secret(text string) (rest string, ok bool) {
	line, ok := strings.CutPrefix(text, string(m.cfg.Trigger))
	if !ok {
		return "", false
	}
	if rest, ok = m.commands.Secret(line); !ok {
		rest, ok = commands.Secret(line) // secret even if the operator has disabled the command
	}
	return rest, ok
}

// Slip reports whether a chat line may contain a password by mistake, as a misspelled secret command. The host must not
// pass such a line to Step.
func (m *Machine) Slip(text string) bool {
	line, triggered := command.Bare(text)
	if s := m.commands.Find(line).Spec; s != nil && !s.Secret {
		return false
	}
	return m.commands.Slip(line, triggered) || commands.Slip(line, triggered)
}

// Blank removes the arguments of a secret command from a line, for logs.
func Blank(line string) string {
	if rest, ok := commands.Secret(line); ok {
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), rest))
	}
	return line
}

// Rate limit for the answered and recorded logins of a player: loginBurst at once, then one per loginEvery. It also
// applies to owners and admins, since any player can own a lobby.
const (
	loginBurst = 15
	loginEvery = 5 * time.Second
)

// login records the result of a player's login and tells the player.
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

// said reports a line as a fact and queues it if it is a command. Muted commands are not reported, so that a mute limits
// what one player can have stored; the audit log records the commands that matter.
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

// say sends a line of the host to some players, or to all if to is 0.
func (m *Machine) say(to w3gs.PIDs, format string, args ...any) error {
	return m.sayText(to, texts.Of(format, args...))
}

// sayAll is the act of the command "say".
func sayAll(text string) act {
	return spoken(func(m *Machine, c *call) error { return m.sayFor(c.Name, text) })
}

// sayFor sends a line of the host to all and records who ordered it.
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
