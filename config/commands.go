package config

import (
	"fmt"
	"reflect"

	"github.com/hashicorp/go-multierror"
)

// Command is one [commands.NAME]: who may use a command, and its aliases. Names and
// levels are checked by package control, which knows the commands.
type Command struct {
	Level   string   `toml:"level"` // player, owner, admin, root, off; empty: the command's own
	Aliases []string `toml:"aliases"`
}

const commandsSection = "commands"

// decodeCommands reads the [commands.NAME] sections of a file.
func (c *Config) decodeCommands(path string, value any) error {
	sections, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: commands: write [commands.NAME] above the keys of each", path)
	}
	var faults *multierror.Error
	c.Commands = map[string]Command{}
	for _, name := range sortedKeys(sections) {
		section, ok := sections[name].(map[string]any)
		if !ok {
			faults = multierror.Append(faults, fmt.Errorf("%s: commands.%[2]s: write [commands.%[2]s] above level and aliases", path, name))
			continue
		}
		var cmd Command
		where := commandsSection + "." + name
		faults = multierror.Append(faults, decodeTable(path, "["+where+"]", where+".", fieldsOf(reflect.ValueOf(&cmd).Elem(), "toml"), section))
		c.Commands[name] = cmd
	}
	return faults.ErrorOrNil()
}
