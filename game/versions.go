package game

import (
	"cmp"
	"slices"
	"strings"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// versions holds the commands for lobbies with several game versions.
var versions = command.Table[*Machine]{
	{
		Name:     "lanversion",
		Usage:    "[<player> <version>]",
		Help:     "show which version of the game everyone plays, or set a player's for their next join (crossplay)",
		Examples: []string{"lanversion", "lanversion bob 1.27"},
		Level:    command.Admin,
		Phase:    command.InLobby,
		Bare:     everyonesVersion,
		Parse: func(a *args) act {
			name, text := a.Phrase("name"), a.Word("version")
			v, err := w3gs.ParseVersion(text)
			if err != nil {
				a.Fail("%q is not a version of the game: write 1.26, for example", text)
			}
			return setVersion(name, v)
		},
	},
}

// everyonesVersion answers with one line per version.
func everyonesVersion(m *Machine, c *call) error {
	for _, v := range m.cfg.Seen() {
		names := m.names(func(p lobby.Player) bool { return cmp.Or(p.Version, m.cfg.Version) == v })
		if names != nil {
			m.answer(c, "%v: %s", v, strings.Join(names, ", "))
		}
	}
	return nil
}

// setVersion sets the game version whose map checksums a player gets at the next join.
func setVersion(name string, v w3gs.Version) act {
	return func(m *Machine, c *call) error {
		var words []string
		for _, v := range m.cfg.Seen() {
			words = append(words, v.String())
		}
		switch {
		case !m.cfg.Crossplay:
			return texts.Refuse(texts.Fixed, "crossplay is off here: everybody is told the map as %v has it", m.cfg.Version)
		case !slices.Contains(words, v.String()):
			return texts.Refuse(texts.NoSuch, "players of %v cannot join here: it is for %v", v, texts.Either(words))
		}
		c.Target = name
		if err := m.try(lobby.SetVersion{Name: name, Version: v}); err != nil {
			return err
		}
		m.answer(c, "%s will join as a player of %v; whoever is already in has to join again.", name, v)
		return nil
	}
}
