package daemon

import (
	"errors"
	"strings"
	"testing"
)

// TestCommandsOfTheConfiguration: faults in [commands.NAME] are told at the start,
// all at once, whoever's table has the command.
func TestCommandsOfTheConfiguration(t *testing.T) {
	load := func(text string) string {
		c, err := configOf(t, text)
		if err := errors.Join(err, Check(c)); err != nil {
			return err.Error()
		}
		if rules := commandRules(c); len(rules) != 2 || rules["games"].Level != "player" || rules["kick"].Aliases[0] != "k" {
			t.Errorf("%+v", rules)
		}
		return ""
	}
	if fault := load("[commands.games]\nlevel = \"player\"\n[commands.kick]\naliases = [\"k\"]\n"); fault != "" {
		t.Error(fault)
	}
	fault := load("[commands.kik]\nlevel = \"off\"\n[commands.ban]\nlevel = \"adm\"\nalias = \"b\"\n[commands.exit]\naliases = [\"games\", 1]\n[commands]\nmute = true\n")
	for _, want := range []string{
		`did you mean commands.kick?`, `did you mean "admin"?`, `unknown key "alias" in [commands.ban]; did you mean "aliases"?`,
		`commands.exit.aliases = [games 1]: write a list of texts`, "commands.mute: write [commands.mute]",
	} {
		if !strings.Contains(fault, want) {
			t.Errorf("%s is not in %s", want, fault)
		}
	}
}
