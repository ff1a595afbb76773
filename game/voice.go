package game

import (
	"strings"
	"time"

	"w3host/command"
	"w3host/lobby"
	"w3host/texts"
)

// voice are the commands about what the host says, to whom and in which language.
var voice = command.Table[*Machine]{
	{Name: "announce", Usage: "<seconds> <text> | off", Help: "say a line every so many seconds", Examples: []string{"announce 60 Join our Discord", "announce off"}, Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act {
		if a.Is("off") {
			return announce(0, "")
		}
		return announce(time.Duration(a.Number("number of seconds", 10, 3600))*time.Second, a.Text("text"))
	}},
	{Name: "pin", Usage: "<text> | off", Forms: map[string]string{"unpin": "off"}, Help: "greet everybody who joins with a line", Examples: []string{"pin First to ten wins", "pin off"}, Level: command.Owner, Phase: command.InLobby, Parse: with(func(a *args) string {
		if a.Is("off") {
			return ""
		}
		return a.Text("text")
	}, pin)},
	{Name: "messages", Usage: "<on|off>", Help: "whether you read what the host says to everybody", Examples: []string{"messages off"}, Phase: command.Always, Parse: with(func(a *args) bool { return a.OneOf("on", "off") == "on" }, messages)},
	{Name: "lock", Help: "let only the owner and root command this lobby", Level: command.Owner, Phase: command.Always, Bare: lock(true)},
	{Name: "unlock", Help: "let admins command this lobby again", Level: command.Owner, Phase: command.Always, Bare: lock(false)},
}

// announcement is a line that the host repeats in the lobby.
type announcement struct {
	every, at time.Duration
	text      string
}

func announce(every time.Duration, text string) act {
	return func(m *Machine, c *call) error {
		m.announced = announcement{every: every, at: m.now + every, text: text}
		m.set(c, "announcement", func() { m.announced = announcement{} })
		if every == 0 {
			return m.answer(c, "Nothing is announced any more.")
		}
		return m.speak(0, texts.Plain(text))
	}
}

// announceDue is when the line is due next.
func (m *Machine) announceDue() (at time.Duration, ok bool) {
	return m.announced.at, m.announced.every > 0 && m.turns == nil && m.lobby.Humans() != 0
}

func (m *Machine) announceNow() {
	if at, ok := m.announceDue(); ok && m.now >= at {
		m.announced.at = m.now + m.announced.every
		m.speak(0, texts.Plain(m.announced.text))
	}
}

func pin(m *Machine, c *call, text string) error {
	m.pinned = text
	m.set(c, "pin", func() { m.pinned = "" })
	if text == "" {
		return m.answer(c, "Nothing is pinned any more.")
	}
	return m.speak(0, texts.Plain(text))
}

func messages(m *Machine, c *call, on bool) error {
	if m.seats[c.PID] == nil {
		return cannot("only players of the game hear the host")
	}
	if err := m.tell(lobby.Hear{PID: c.PID, Off: !on}); err != nil {
		return err
	}
	if on {
		return m.answer(c, "You read what the host says to everybody.")
	}
	return m.answer(c, "You read only what concerns you.")
}

func language(_ *Machine, c *call) texts.Text {
	return texts.Of("You read %s. There are: %s.", c.Language.Own(), texts.Tags())
}

// speakTo sets the language in which the caller reads the host, in this game and
// later ones. A caller on a realm need not be in the game, and is answered when the
// choice is stored.
func speakTo(m *Machine, c *call, tag string) error {
	s := m.seats[c.PID]
	if s == nil && c.Realm == "" {
		return cannot("only players of the game hear the host")
	}
	language, err := texts.ParseLanguage(tag)
	if err != nil {
		return err
	}
	ask := Op{Kind: Ask, Query: &Query{What: "lang", Name: c.Name, By: c.Name, Language: language}}
	if s == nil {
		ask.Caller, s = c.Caller, m.confirmed(c.Name, c.Realm)
	}
	if s != nil {
		s.chose = true
		m.tell(lobby.SetLanguage{PID: s.PID, Language: language})
	}
	if ask.Caller == nil {
		m.answer(c, "The host speaks %s to you now.", language.Own())
	}
	m.out.add(ask)
	return nil
}

// confirmed is the seat of a player whose name a realm has confirmed, or nil.
func (m *Machine) confirmed(name, realm string) *seat {
	for _, s := range m.seats {
		if s != nil && s.Realm != "" && strings.EqualFold(s.Name, name) && strings.EqualFold(s.Realm, realm) {
			return s
		}
	}
	return nil
}

// prefer applies the language chosen in an earlier game.
func (m *Machine) prefer(s *seat, in *Input) {
	if !s.chose {
		m.tell(lobby.SetLanguage{PID: s.PID, Language: in.Language})
	}
}
