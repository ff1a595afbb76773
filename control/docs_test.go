package control

import (
	"flag"
	"os"
	"testing"
)

// docs/commands.md is what the tables say.
func TestDocs(t *testing.T) {
	const file = "../docs/commands.md"
	if flag.Lookup("update").Value.String() == "true" { // the flag of testkit.Scripts
		if err := os.WriteFile(file, []byte(Docs()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != Docs() {
		t.Error("docs/commands.md differs from the tables: go generate ./control")
	}
}

// Tab completes a command as far as it is certain.
func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"unh": "unhost ", "ga": "game", "sayg": "saygames ", "help relo": "help reload ", "eg 7 abo": "eg 7 abort ",
		"eg 7 autost": "eg 7 autostart ", "nothing": "nothing", "": "", "games x": "games x",
	} {
		got, pos, ok := complete(line, len(line), '\t')
		if got != want || pos != len(want) || !ok {
			t.Errorf("%q: %q, %d", line, got, pos)
		}
	}
	if _, _, ok := complete("ga", 2, 'm'); ok {
		t.Error("a letter completes")
	}
}
