package game

import (
	"cmp"

	"w3host/command"
	"w3host/texts"
	"w3host/w3gs"
)

// listing are the commands about what a lobby is called and how it stands in the
// list of games. A private lobby is in no list: on a realm it is found by its name,
// on the LAN not at all.
var listing = command.Table[*Machine]{
	{Name: "rules", Help: "the rules of this lobby", Phase: command.Always, Bare: rules},
	{Name: "rename", Usage: "<name>", Help: "give the lobby another name in the list of games", Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return rename(a.Text("name")) }},
	{Name: "pub", Usage: "[name]", Help: "list the lobby for everybody", Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return list(a.Rest(), true) }},
	{Name: "priv", Usage: "[name]", Help: "take the lobby off the list: only who knows its name finds it, on a realm", Level: command.Owner, Phase: command.InLobby, Parse: func(a *args) act { return list(a.Rest(), false) }},
}

func rules(m *Machine, c *call) error {
	if len(m.cfg.Rules) == 0 {
		m.answer(c.Caller, "There are no rules here.")
	}
	for _, line := range m.cfg.Rules {
		m.answer(c.Caller, "%s", line)
	}
	return nil
}

func rename(name string) act {
	return func(m *Machine, c *call) error { return m.list(c, name, !m.cfg.Unlisted) }
}

func list(name string, public bool) act {
	return func(m *Machine, c *call) error { return m.list(c, cmp.Or(name, m.cfg.Name), public) }
}

// list has the lobby announced anew.
func (m *Machine) list(c *call, name string, public bool) error {
	if len(name) > w3gs.MaxGameNameLen {
		return texts.Refuse(texts.Malformed, "the name is too long: clients list no more than %d bytes", w3gs.MaxGameNameLen)
	}
	c.Target = name
	m.cfg.Name, m.cfg.Unlisted = name, !public
	m.fact(&Listed{Name: name, Public: public, Counts: m.lobby.Counts()})
	if public {
		m.say(0, "The lobby is listed as %s.", name)
	} else {
		m.say(0, "The lobby, %s, is not listed any more: on a realm it is found by its name.", name)
	}
	return nil
}
