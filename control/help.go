package control

import (
	"strings"

	"w3host/game/command"
	"w3host/internal/terminal"
)

// columnsUnknown is the width for callers who do not tell theirs.
const columnsUnknown = 80

func help(topic string) act {
	return func(d *target, c *call) error {
		trigger := d.trigger(c)
		switch {
		case topic != "":
			text, err := d.ofHost.Help(topic, trigger)
			if err != nil {
				text, err = d.ofGames.Help(topic, trigger)
			}
			if err == nil {
				c.Answer(text.In(c.Language))
			}
			return err
		case trigger == "" && d.game == nil:
			d.overview(c)
			return nil
		}
		list := d.ofHost.List(c.Level, command.Always, trigger)
		if d.game == nil {
			list = strings.TrimSpace(list + " " + d.ofPeople.List(c.Level, command.Always, trigger))
		}
		if list != "" {
			c.Answer(list)
		}
		return nil
	}
}

// overview lists all commands for somebody at a terminal, in groups.
func (d *target) overview(c *call) {
	width := c.Columns
	if width == 0 {
		width = columnsUnknown
	}
	group := func(title string, names []string) {
		c.Answer(title)
		for _, row := range terminal.InColumns(names, width-2) {
			c.Answer("  " + row)
		}
	}
	inGames := func(phase command.Phase) (names []string) {
		for _, s := range d.ofGames {
			if s.Phase == phase && !d.ofPeople.Has(s.Name) {
				names = append(names, s.Name)
			}
		}
		return names
	}
	group("The host:", commandNames(d.ofHost))
	group("Players, bans, admins and ratings:", commandNames(d.ofPeople))
	group("A lobby (eg ID COMMAND):", inGames(command.InLobby))
	group("A running game (eg ID COMMAND):", inGames(command.InGame))
	group("A lobby or a running game (eg ID COMMAND):", inGames(command.Always))
	c.Answer("help COMMAND explains one; games shows the IDs.")
}
