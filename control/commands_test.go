package control

import (
	"reflect"
	"testing"

	"w3host/game"
	"w3host/game/command"
)

// Each line is found in one table: every command of a game is in it with all its facts,
// and where the host has one of the same name, either game and host share the line (help),
// or the game's comes first as long as it makes sense.
func TestEverything(t *testing.T) {
	for i, s := range game.Commands() {
		same := everything[len(commands)+i]
		facts, of := reflect.ValueOf(same), reflect.ValueOf(s)
		for f := range facts.NumField() {
			switch name := facts.Type().Field(f).Name; name {
			case "Bare", "Parse", "Before", "Ask":
			default:
				if !reflect.DeepEqual(facts.Field(f).Interface(), of.Field(f).Interface()) {
					t.Errorf("%s has other %s for the host", s.Name, name)
				}
			}
		}
		if (same.Ask == nil) != (s.Ask == nil) {
			t.Errorf("%s asks for one of game and host", s.Name)
		}
		if same.Ask == nil && s.Phase.Has(command.Outside) {
			t.Errorf("nothing carries out %s outside of games", s.Name)
		}
		ofHost := commands.Find(s.Name).Spec != nil
		if s.Yields && !ofHost {
			t.Errorf("%s yields to no command of the host", s.Name)
		}
		if ofHost && s.Phase != command.Always && !s.Yields {
			t.Errorf("the host's %s cannot be given in a running game", s.Name)
		}
	}
	words := everything.Words()
	for _, s := range everything {
		if s.Group == "" || words[s.Group] != "" {
			t.Errorf("the group of %s is %q, which is a command", s.Name, s.Group)
		}
	}
	for _, s := range commands {
		if (s.Bare == nil) == (s.Parse == nil) && s.Usage == "" {
			t.Errorf("%s has %v and %v", s.Name, s.Bare != nil, s.Parse != nil)
		}
	}
}
