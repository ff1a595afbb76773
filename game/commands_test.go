package game

import (
	"slices"
	"strings"
	"testing"

	"w3host/game/command"
)

// Every word means one command, and every command with arguments has examples that it
// understands.
func TestSpecs(t *testing.T) {
	words := map[string]string{}
	for _, s := range Commands() {
		names := append([]string{s.Name}, s.Aliases...)
		for form := range s.Forms {
			names = append(names, form)
		}
		for _, name := range names {
			if words[name] != "" {
				t.Errorf("%s means %s and %s", name, words[name], s.Name)
			}
			words[name] = s.Name
		}
		if (s.Usage == "") != (s.Examples == nil) {
			t.Errorf("%s has the arguments %q and the examples %q", s.Name, s.Usage, s.Examples)
		}
		for form := range s.Forms {
			s.Examples = append(s.Examples, form)
		}
		for _, example := range s.Examples {
			if !strings.HasPrefix(example, s.Name) && !slices.Contains(names, example) {
				t.Errorf("%q is no example of %s", example, s.Name)
			}
			// Not in this phase, which comes after the arguments: nothing is done.
			o := Commands().Find(example).Run(nil, 0, &command.Caller{Level: command.Root, Realm: "Home"}, []string{"Bob", "Ann"})
			if o.Query == nil && (o.Err == nil || !strings.Contains(o.Err.Error(), " works only in the ")) {
				t.Errorf("%q: %v", example, o.Err)
			}
		}
	}
}
