package command

import (
	"strings"
	"testing"

	"w3host/texts"
)

// Rules change who may use a command and what it is called.
func TestRules(t *testing.T) {
	rules := Rules{
		"mute": {Level: "off"}, "say": {Level: "player", Aliases: []string{"Shout"}}, "ping": {Level: "admin"}, "kick": {Aliases: []string{"k", "a"}},
	}
	if err := rules.Check(table.Words()); err != nil {
		t.Fatal(err)
	}
	with := table.With(rules)
	for _, c := range []struct {
		line  string
		level Level
		what  texts.Code // of the refusal; empty: it is done
	}{
		{"mute x", Root, texts.Unknown},
		{"say hi", Anyone, ""},
		{"shout hi", Anyone, ""},
		{"ping", Owner, texts.Denied},
		{"ping", Admin, ""},
		{"k x", Owner, ""},
		{"k x", StandIn, texts.Denied},
		{"a x", Owner, ""}, // the rule goes before the table's alias of abort
		{"abort", Owner, ""},
		{"kick x", Owner, ""},
		{"swap 1 2", Owner, ""},
	} {
		u, err := with.Find(c.line), with.Unknown(c.line, "", c.level)
		if u.Spec != nil {
			err = u.Run(new(target), InLobby, &Caller{Level: c.level}, nil).Err
		}
		got := texts.Code("")
		if r, ok := err.(*texts.Refusal); ok {
			got = r.Code
		}
		if got != c.what {
			t.Errorf("%q by %v: %q, want %q", c.line, c.level, err, c.what)
		}
	}
	if list, err := with.Help("talk", "!", Anyone, InLobby); err != nil || list.String() != "!help !say" {
		t.Errorf("a player is told of %q, %v", list, err)
	}
	if groups := with.Groups(Anyone, InLobby, "!").String(); groups != "Commands come in groups: talk, hosting. Type !help and a group, or a command." {
		t.Errorf("a player is told of %q", groups)
	}
	if table.Find("shout").Spec != nil || table.Find("mute").Spec == nil {
		t.Error("the table itself has changed")
	}
}

// Each fault says what to write instead.
func TestRuleFaults(t *testing.T) {
	for want, rules := range map[string]Rules{
		`commands.kik: there is no such command; did you mean commands.kick?`:                                            {"kik": {Level: "off"}},
		`commands.a: that is another name of abort: write commands.abort`:                                                {"a": {}},
		`commands.kick.level = "owners": must be one of player, trusted, owner, admin, root, off; did you mean "owner"?`: {"kick": {Level: "owners"}},
		`commands.kick.aliases: "abort" means abort already`:                                                             {"kick": {Aliases: []string{"Abort"}}},
		`commands.say.aliases: "x" means kick already`:                                                                   {"kick": {Aliases: []string{"x"}}, "say": {Aliases: []string{"x"}}},
		`commands.kick.aliases: "kick out" must be one word`:                                                             {"kick": {Aliases: []string{"kick out"}}},
	} {
		if err := rules.Check(table.Words()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", rules, err, want)
		}
	}
}
