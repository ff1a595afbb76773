package control

import (
	"fmt"
	"strings"

	"w3host/game/command"
	"w3host/texts"
)

// reload reads the configuration and the maps again.
func reload(d *target, c *call) error {
	notes, err := d.opts.Reload()
	if err != nil {
		return cannot("nothing was changed: %v", err)
	}
	for _, note := range notes {
		c.Answer(note)
	}
	answer(c, "The configuration and the maps have been reloaded.")
	return nil
}

// numbers formats game numbers as a list.
func numbers(ids []uint32) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf("#%d", id))
	}
	return strings.Join(list, ", ")
}

// upgrade starts the program at path in place of this one; "" means the path of the running program. Only callers with
// access to the machine may name a path.
func upgrade(path string) act {
	return func(d *target, c *call) error {
		if path != "" && c.Via != command.ViaConsole && c.Via != command.ViaControl {
			return cannot("a program can be named only on the console or with w3host ctl")
		}
		given := c.Pending()
		err := d.opts.Upgrade(path, c.Outlive, func(u Upgraded, err error) {
			defer given()
			switch {
			case err != nil:
				deny(c.Caller, cannot("cannot upgrade: %v", err))
				return
			case len(u.Behind) > 0:
				deny(c.Caller, cannot("the new version hosts, but these games have not moved to it yet: %v", numbers(u.Behind)))
			case u.Moved:
				answer(c, "Upgraded: the new version hosts, and the running games have moved to it.")
			default:
				answer(c, "Upgrade started; each running game moves to the new version at its next turn.")
			}
			if len(u.Stay) > 0 {
				answer(c, "%v in the old process to the end: %v", texts.Count(len(u.Stay), "%d game stays", "%d games stay"), numbers(u.Stay))
			}
		})
		if err != nil {
			given()
			return cannot("cannot upgrade: %v", err)
		}
		return nil
	}
}
