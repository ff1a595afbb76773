package people

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"w3host/game/command"
)

// Programs get what is listed as values, in the shape of the API, and nothing where a question is refused.
func TestValues(t *testing.T) {
	db := twoGames(t)
	for _, tt := range []struct{ line, want string }{
		{"stats ann", `^\[\{"name":"Ann",.*"games":2,`},
		{"stats Zoe", `^\[\]$`},
		{"statsdota ann", `"values":\[\{"source":"dota","name":"kills"`},
		{"rank Ann", `^\[\]$`},
		{"top DotA", `^\[\]$`},
		{"lastgame bob", `^\{"map":"DotA","began":"[^"]+","played_ms":0,"players":\[\{"name":"Ann","team":0,"outcome":`},
		{"saves", `^\[\]$`},
		{"alts Ann", `^\[\]$`},
		{"bans", `^\[\]$`},
		{"ban Bob: rude", `^\{"id":1,"name":"Bob","realm":"","reason":"rude","banned_by":"Root","banned_at":"[^"]+"\}$`},
		{"ban Bob", `^$`}, // refused
		{"ban 10.0.0.0/8", `^\{"id":\d,"network":"10.0.0.0/8","realm":""`},
		{"bans", `^\[\{"id":\d,"network":"10.0.0.0/8",.*"name":"Bob"`},
		{"checkban Bob", `^\[\{"id":1,"name":"Bob",.*\}\]$`},
		{"note Bob: friend of Eve", `^$`},
		{"remarks Bob", `^\[\{"id":1,"kind":"note","name":"Bob","line":"friend of Eve","made_by":"Root",`},
		{"addadmin Ann", `^\{"name":"Ann","realm":"","role":"admin","added_by":"Root","added_at":"[^"]+","password":false\}$`},
		{"admins", `^\[\{"name":"Ann",.*\}\]$`},
		{"checkadmin Bob", `^\[\]$`},
		{"check Bob", `^\{"admins":\[\],"bans":\[\{"id":1,"name":"Bob".*"players":\[\{"name":"Bob"`},
		{"unban Bob", `^\[\{"id":1,"name":"Bob"`},
	} {
		what, name, _ := strings.Cut(tt.line, " ")
		name, why, _ := strings.Cut(name, ": ")
		var values any
		given := 0
		_, err := Directory{DB: db, Rule: func() Warnings { return Warnings{} }}.Ask(t.Context(), command.Query{What: what, Name: name, Reason: why, By: "Root", Data: func(v any) { values, given = v, given+1 }})
		text := ""
		if given > 0 {
			encoded, _ := json.Marshal(values)
			text = string(encoded)
		}
		if given > 1 || err != nil && given > 0 || !regexp.MustCompile(tt.want).MatchString(text) {
			t.Errorf("%s: %s (given %d times, %v), want %s", tt.line, text, given, err, tt.want)
		}
	}
}
