package control

import (
	"bytes"
	"strings"
	"testing"
)

// Tab completes commands, maps, players and games as far as it is certain, and lists
// what is possible where it is not.
func TestComplete(t *testing.T) {
	s := newStage(t, map[string]map[string]bool{})
	for _, event := range []string{"entry night dota.w3x", "join 1 Anna Karenina", "join 1 Anton", "join 1 Bea"} {
		if _, err := s.event(event); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"ga": "game", "unh": "unhost ", "!unh": "!unhost ", "sayg": "saygame", "saygames": "saygames ", "help relo": "help reload ", "eg 1 abo": "eg 1 abort ",
		"eg 1 autost": "eg 1 autostart ", "eg ": "eg 1 ", "game ": "game 1 ", "unhost ": "unhost 1 ",
		"host dot": "host dota.w3x ", "host isl": `host "echo isles.w3x" `, `host "echo r`: `host "echo ruins.w3x" `,
		`map "e`: `map "echo `, "maps e": "maps \"echo ",
		"w be": "w Bea ", "w nn": `w "Anna Karenina" `, "check bea": "check Bea ",
		"eg 1 kick bea": "eg 1 kick Bea ", "exit n": "exit nice ", "autohost of": "autohost off ",
		"nothing": "nothing", "games x": "games x", "unhost 1 x": "unhost 1 x", "addadmin Bea ro": "addadmin Bea ro",
		// These list.
		"game": "game", "w an": "w an", "host ": "host ", "w An": "w An", "": "",
	} {
		var listed bytes.Buffer
		c := &Console{Log: &listed}
		c.operator.Store(s.operator)
		got, pos, ok := c.complete(line, len(line), '\t')
		if got != want || pos != len(want) || !ok {
			t.Errorf("%q: %q, %d", line, got, pos)
		}
		for of, choices := range map[string][]string{
			"game": {"game", "games"}, "host ": {"dota.w3x", "broken.w3x", "echo isles.w3x"}, "w An": {"Anna Karenina", "Anton"}, "": {"help", "exit", "ban"},
		} {
			for _, choice := range choices {
				if line == of && !strings.Contains(listed.String(), choice) {
					t.Errorf("%q lists %q, without %s", line, listed.String(), choice)
				}
			}
		}
		if got != line && listed.Len() > 0 {
			t.Errorf("%q completes and lists %q", line, listed.String())
		}
	}
	if _, _, ok := new(Console).complete("ga", 2, 'm'); ok {
		t.Error("a letter completes")
	}
}
