package game

import (
	"cmp"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/texts"
)

// voice holds the commands about what the host says, to whom and in which language.
var voice = command.Table[*Machine]{
	{
		Name:     "announce",
		Usage:    "off | <seconds> <text>",
		Help:     "repeat a message every so many seconds",
		Examples: []string{"announce 60 Join our Discord", "announce off"},
		Level:    command.Owner,
		Phase:    command.InLobby,
		Parse: func(a *args) act {
			if a.Is("off") {
				return announce(0, "")
			}
			return spoken(announce(time.Duration(a.Number("number of seconds", 10, 3600))*time.Second, a.Text("text")))
		},
	},
	{
		Name:     "pin",
		Usage:    "off | <text>",
		Forms:    map[string]string{"unpin": "off"},
		Help:     "show a message to everyone who joins",
		Examples: []string{"pin First to ten wins", "pin off"},
		Level:    command.Owner,
		Phase:    command.InLobby,
		Parse: func(a *args) act {
			if a.Is("off") {
				return pin("")
			}
			return spoken(pin(a.Text("text")))
		},
	},
	{
		Name:     "messages",
		Usage:    "<on|off>",
		Help:     "turn the host's public messages on or off for you",
		Examples: []string{"messages off"},
		Phase:    command.Always,
		Parse:    with(onOff, messages),
	},
	{
		Name:          "ignore",
		Usage:         "<player>",
		Help:          "hide a player's messages from you, in later games as well",
		Examples:      []string{"ignore bob"},
		Private:       true,
		KeptForCaller: true,
		Ask:           func(a *args) command.Question { return ignore(a.OnlyPlayer()) },
		Before:        ignoring(false),
	},
	{
		Name:     "hear",
		Forms:    map[string]string{"ignoreall": "nobody", "muteopps": "allies"},
		Usage:    "<all|allies|nobody>",
		Help:     "choose whose messages you read in this game: everybody's, those of your team and of observers, or nobody's",
		Examples: []string{"hear allies", "hear all"},
		Phase:    command.Always,
		Parse:    with(func(a *args) string { return a.OneOf("all", "allies", "nobody") }, hear),
	},
	{
		Name:          "unignore",
		Usage:         "<player>",
		Help:          "show you a player's messages again",
		Examples:      []string{"unignore bob"},
		Private:       true,
		KeptForCaller: true,
		Ask:           func(a *args) command.Question { return ignore(a.OnlyPlayer()) },
		Before:        ignoring(true),
	},
	{
		Name:     "lock",
		Forms:    map[string]string{"gamelock": "joins"},
		Usage:    "[joins]",
		Help:     "keep other admins from commanding this lobby; joins: keep out everybody without a held place",
		Examples: []string{"lock", "lock joins"},
		Level:    command.Owner,
		Phase:    command.Always,
		Bare:     lock(true),
		Parse:    lockJoins(false),
	},
	{
		Name:     "unlock",
		Forms:    map[string]string{"gameunlock": "joins"},
		Usage:    "[joins]",
		Help:     "let admins command this lobby again; joins: let everybody join again",
		Examples: []string{"unlock", "unlock joins"},
		Level:    command.Owner,
		Phase:    command.Always,
		Bare:     lock(false),
		Parse:    lockJoins(true),
	},
}

// announcement is a line that the host repeats in the lobby.
type announcement struct {
	every, at time.Duration
	text      string
}

func announce(every time.Duration, text string) act {
	return func(m *Machine, c *call) error {
		m.settings.announced = announcement{every: every, at: m.now + every, text: text}
		m.set(c, "announcement", func() { m.settings.announced = announcement{} })
		if every == 0 {
			return m.answer(c, "The announcement is off.")
		}
		return m.sayText(0, texts.Plain(text))
	}
}

// announceDue returns when the announcement is due next.
func (m *Machine) announceDue() (at time.Duration, ok bool) {
	return m.settings.announced.at, m.settings.announced.every > 0 && m.turns == nil && m.lobby.Humans() != 0
}

func (m *Machine) announceNow() {
	if at, ok := m.announceDue(); ok && m.now >= at {
		m.settings.announced.at = m.now + m.settings.announced.every
		m.sayText(0, texts.Plain(m.settings.announced.text))
	}
}

func pin(text string) act {
	return func(m *Machine, c *call) error {
		m.settings.pinned = text
		m.set(c, "pin", func() { m.settings.pinned = "" })
		if text == "" {
			return m.answer(c, "The pinned message is off.")
		}
		return m.sayText(0, texts.Plain(text))
	}
}

func messages(m *Machine, c *call, on bool) error {
	if m.seats[c.PID] == nil {
		return cannot("only players in the game can do that")
	}
	if err := m.try(lobby.SetHostMessages{PID: c.PID, Off: !on}); err != nil {
		return err
	}
	return m.reply(c.Caller, texts.If(on, "You will see all messages of the host again.", "You will only see messages meant for you."), false)
}

func language(_ *Machine, c *call) texts.Text { return yourLanguage(c.Caller) }

func yourLanguage(by *command.Caller) texts.Text {
	return texts.Of("Your language is %s. Available: %s.", by.Language.Own(), texts.Tags())
}

// speak asks to store the language with this tag for this and later games; "" asks for the current one. A caller on a
// realm need not be in a game.
func speak(tag string) command.Question {
	return func(by *command.Caller, q *command.Query) (err error) {
		if tag == "" {
			q.What = ""
			by.Answer(yourLanguage(by).In(by.Language))
			return nil
		}
		if by.PID == 0 && by.Realm == "" {
			return cannot("only players in the game can do that")
		}
		q.Name = by.Name
		q.Language, err = texts.ParseLanguage(tag)
		return err
	}
}

// speakTo sets the caller's language in this game. A caller without a seat is answered when the choice is stored.
func speakTo(m *Machine, by *command.Caller, q *command.Query) error {
	q.Quiet = m.seats[by.PID] != nil
	if s := cmp.Or(m.seats[by.PID], m.confirmed(by.Name, by.Realm)); s != nil {
		s.languageChosen = true
		m.try(lobby.SetLanguage{PID: s.PID, Language: q.Language})
	}
	if q.Quiet {
		m.reply(by, texts.Of("The host now talks to you in %s.", q.Language.Own()), false)
	}
	return nil
}

// ignore asks to store that the caller does not want to see a player's lines. A caller on a realm need not be in a game.
func ignore(name string) command.Question {
	return func(by *command.Caller, q *command.Query) error {
		if by.PID == 0 && by.Realm == "" {
			return cannot("only players in the game can do that")
		}
		if strings.EqualFold(name, by.Name) {
			return cannot("you cannot ignore yourself")
		}
		q.Name = name
		return nil
	}
}

// ignoring applies the caller's ignore list in this game.
func ignoring(off bool) func(*Machine, *command.Caller, *command.Query) error {
	return func(m *Machine, by *command.Caller, q *command.Query) error {
		if s := cmp.Or(m.seats[by.PID], m.confirmed(by.Name, by.Realm)); s != nil {
			m.try(lobby.Ignore{PID: s.PID, Names: []string{q.Name}, Off: off})
			q.Realm = s.realm
		}
		return nil
	}
}

func hear(m *Machine, c *call, whom string) error {
	if c.PID == 0 {
		return cannot("only players in the game can do that")
	}
	from := map[string]lobby.ChatFilter{"all": lobby.ChatFromAll, "allies": lobby.ChatFromAllies, "nobody": lobby.ChatFromNobody}[whom]
	m.try(lobby.SetChatFilter{PID: c.PID, From: from})
	switch from {
	case lobby.ChatFromNobody:
		return m.answer(c, "You read no messages of other players in this game.")
	case lobby.ChatFromAllies:
		return m.answer(c, "You read only messages of your team and of observers in this game.")
	default:
		return m.answer(c, "You read everybody's messages.")
	}
}

// ignored applies a player's ignore list from earlier games.
func (m *Machine) ignored(s *seat, in *Input) {
	m.try(lobby.Ignore{PID: s.PID, Names: strings.Split(in.Line, "\n")})
}

// confirmed returns the seat of a player whose name a realm has confirmed, or nil.
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
	if !s.languageChosen {
		m.try(lobby.SetLanguage{PID: s.PID, Language: in.Language})
	}
}
