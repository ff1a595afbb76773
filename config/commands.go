package config

import "reflect"

// Command is a [commands.NAME] section: who may use a command, and its aliases. Package control, which knows the commands,
// validates names and levels.
type Command struct {
	Level   string   `toml:"level"` // player, trusted, owner, admin, root or off; "": the default of the command
	Aliases []string `toml:"aliases"`
}

const commandsSection = "commands"

// decodeCommands decodes the [commands.NAME] sections of a file.
func (l *loader) decodeCommands(value any) {
	sections, ok := value.(map[string]any)
	if !ok {
		l.fault("%s: commands: write [commands.NAME] above the keys of each", l.File)
	}
	l.Commands = map[string]Command{}
	for _, name := range sortedKeys(sections) {
		section, ok := sections[name].(map[string]any)
		if !ok {
			l.fault("%s: commands.%[2]s: write [commands.%[2]s] above level and aliases", l.File, name)
			continue
		}
		var cmd Command
		where := commandsSection + "." + name
		l.decodeTable("["+where+"]", where+".", fieldsOf(reflect.ValueOf(&cmd).Elem(), "toml"), section)
		l.Commands[name] = cmd
	}
}
