package control

import (
	"cmp"

	"w3host/game/command"
	"w3host/internal/terminal"
)

// columnsUnknown is the width assumed for callers whose terminal width is unknown.
const columnsUnknown = 80

func help(topic string) act {
	return func(d *target, c *call) error {
		trigger := d.trigger(c.Caller)
		phases := command.Outside
		if trigger == "" {
			phases |= command.Always // commands of a game that the caller can name with eg
		}
		switch {
		case topic != "":
			text, err := d.table.Help(topic, trigger, c.Level, phases)
			if err == nil {
				c.Answer(text.In(c.Language))
			}
			return err
		case trigger == "":
			d.overview(c)
		default:
			c.Answer(d.table.Groups(c.Level, phases, trigger).In(c.Language))
		}
		return nil
	}
}

// overview lists all commands in groups, for a caller at a terminal.
func (d *target) overview(c *call) {
	width := cmp.Or(c.Columns, columnsUnknown)
	group := func(title string, names []string) {
		c.Answer(title)
		for _, row := range terminal.InColumns(names, width-2) {
			c.Answer("  " + row)
		}
	}
	in := map[command.Phase][]string{}
	for _, s := range d.table[len(d.ofHost):] {
		in[s.Phase] = append(in[s.Phase], s.Name)
	}
	group("The host:", commandNames(d.ofHost))
	group("Players, bans, admins and ratings:", in[command.Anywhere])
	group("A lobby (eg ID COMMAND):", in[command.InLobby])
	group("A running game (eg ID COMMAND):", in[command.InGame])
	group("A lobby or a running game (eg ID COMMAND):", in[command.Always])
	c.Answer("help COMMAND explains one; games shows the IDs.")
}
