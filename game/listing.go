package game

import (
	"cmp"

	"w3host/game/command"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// listing holds the commands about the name of a lobby and its place in game lists. A private lobby is in no list: on a
// realm it can be found by its name, on the LAN not at all.
var listing = command.Table[*Machine]{
	{
		Name:  "rules",
		Help:  "show the rules of this lobby",
		Phase: command.Always,
		Bare:  rules,
	},
	{
		Name:    "link",
		Aliases: []string{"url"},
		Help:    "show where to find the map",
		Phase:   command.Always,
		Bare:    show(link),
	},
	{
		Name:     "rename",
		Usage:    "<name>",
		Help:     "give the lobby another name in the list of games",
		Examples: []string{"rename 3v3 for all"},
		Level:    command.Owner,
		Parse:    with(func(a *args) string { return a.Text("name") }, rename),
	},
	{
		Name:     "pub",
		Usage:    "[name]",
		Help:     "list the lobby for everybody",
		Examples: []string{"pub", "pub 3v3 for all"},
		Level:    command.Owner,
		Yields:   true,
		Parse:    with((*args).Rest, publish),
	},
	{
		Name:     "priv",
		Usage:    "[name]",
		Help:     "take the lobby off the list; on a realm, players can still join it by name",
		Examples: []string{"priv friends only"},
		Level:    command.Owner,
		Yields:   true,
		Parse:    with((*args).Rest, unlist),
	},
}

func rules(m *Machine, c *call) error {
	if len(m.cfg.Rules) == 0 {
		return m.answer(c, "No rules are set for this lobby.")
	}
	for _, line := range m.cfg.Rules {
		m.answer(c, "%s", line)
	}
	return nil
}

func link(m *Machine, _ *call) texts.Text {
	if m.cfg.Map.Link == "" {
		return texts.Of("No address is known for this map.")
	}
	return mapLink(m)
}

func mapLink(m *Machine) texts.Text { return texts.Of("%s: %s", m.cfg.Map.Name, m.cfg.Map.Link) }

func rename(m *Machine, c *call, name string) error { return m.list(c, name, !m.cfg.Unlisted) }

func publish(m *Machine, c *call, name string) error { return m.list(c, name, true) }

func unlist(m *Machine, c *call, name string) error { return m.list(c, name, false) }

// list announces the lobby again; an empty name keeps the old one.
func (m *Machine) list(c *call, name string, public bool) error {
	if err := m.maySpeak(c.Caller); err != nil {
		return err
	}
	name = cmp.Or(name, m.cfg.Name)
	if len(name) > w3gs.MaxGameNameLen {
		return texts.Refuse(texts.Malformed, "the name is too long: the game list shows at most %d bytes", w3gs.MaxGameNameLen)
	}
	if c.Target = name; name != m.cfg.Name {
		m.set(c, "name", func() {
			if m.turns == nil && !m.cfg.Unlisted { // the players of a private lobby know it by its current name
				m.announce(m.settings.firstName, true)
			}
		})
	}
	return m.announce(name, public)
}

// announce lists the lobby under a name, or removes it from lists.
func (m *Machine) announce(name string, public bool) error {
	m.cfg.Name, m.cfg.Unlisted = name, !public
	m.lobby.SetPrivate(!public)
	m.fact(&Listed{Name: name, Public: public, Counts: m.lobby.Counts()})
	return m.sayText(0, texts.If(public, "The lobby is now listed as %s.",
		"The lobby %s is no longer listed. On a realm, players can still join it by name.", name))
}
