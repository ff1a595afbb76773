package session

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"w3host/internal/realmtest"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

const answersHead = `# What a realm answers to ` + "`/whereis`" + `

The sentences of PvPGN's message files, by locale, for the question whether NAME is in the game GAME. [realms.md](realms.md) says what a
confirmation proves. ` + "`go test ./realm/session -run TestAnswers -update`" + ` writes this page from the sentences of the tests' server.

| the player is | w3host's conclusion |
|---|---|
| in a game, in a private game | **confirmed**, if NAME (in either case), GAME (letter by letter) and the product are right |
| in a channel, in neither, unknown, not logged on | not in the game: asked again |
| refusing messages, away (a line that the player wrote) | no answer: the next line is awaited |
| anything else | not understood: asked again; confirms nobody |

The tables have the first two kinds; the tests have all. Other locales answer in English. One build was seen to answer with blank lines in
frFR, ruRU and zhCN: there players confirm their names by a code (sc), or the host logs on in another language. A year marks the translation
of an older server.

`

var takenFor = map[place]string{
	inGame: "**confirmed**", elsewhere: "not in the game: asked again", unknown: "not known: asked again",
	another: "no answer: the next line is waited for",
}

// TestAnswers checks the conclusion from every sentence of every locale, and that docs/realm-answers.md lists the sentences.
func TestAnswers(t *testing.T) {
	groups := map[string][]string{} // locales by their rows
	var order []string
	for _, locale := range realmtest.Locales {
		rows := ""
		for _, a := range realmtest.Answers(locale, "NAME", "GAME", "CHANNEL") {
			got := parseWhereis(a.Text, "name", "GAME", w3gs.ProductTFT)
			want := elsewhere
			switch {
			case locale == realmtest.Blank:
				want = unknown
			case a.What == "in a game", a.What == "in a private game":
				want = inGame
			case strings.HasPrefix(a.What, "remark"):
				want = another
			}
			if got != want {
				t.Errorf("%s: %s is taken for %v", locale, a.Text, takenFor[got])
			}
			if strings.HasPrefix(a.What, "in ") {
				rows += fmt.Sprintf("| %s | `%s` |\n", a.What, a.Text)
			}
		}
		if locale == realmtest.Blank {
			continue // the head of the page describes it
		}
		if groups[rows] == nil {
			order = append(order, rows)
		}
		groups[rows] = append(groups[rows], locale)
	}
	page := answersHead
	slices.SortStableFunc(order, func(a, b string) int { return len(groups[b]) - len(groups[a]) })
	for _, rows := range order {
		page += fmt.Sprintf("## %s\n\n| the player is | the realm says |\n|---|---|\n%s\n", strings.Join(groups[rows], ", "), rows)
	}
	page = strings.TrimSuffix(page, "\n")
	const file = "../../docs/realm-answers.md"
	if *testkit.Update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != page {
		t.Errorf("%s differs from the sentences: run this test with -update (%v)", file, err)
	}
}

// What players can write themselves, into names of games and channels, remarks and
// account names, confirms nobody.
func TestForgedAnswers(t *testing.T) {
	const name, game = "Ann", "w3bar"
	for _, locale := range realmtest.Locales {
		true1 := realmtest.Answers(locale, name, game, "")[0].Text
		for _, text := range []string{game, `"` + game, game + `".`, true1, `x".` + true1, strings.TrimPrefix(true1, name), `x" and is currently in  game "` + game} {
			for i, a := range realmtest.Answers(locale, name, text, text) {
				if i < 2 && text == game {
					continue // she is there
				}
				if parseWhereis(a.Text, name, game, w3gs.ProductTFT) == inGame {
					t.Errorf("%s: she is %s %q: %s", locale, a.What, text, a.Text)
				}
			}
		}
		for _, other := range []string{"Bob", "Anna", "An", "Ann2", "Xann", "Ánn"} {
			if parseWhereis(realmtest.Answers(locale, other, game, "")[0].Text, name, game, w3gs.ProductTFT) == inGame {
				t.Errorf("%s: %s is there, not Ann", locale, other)
			}
		}
		if parseWhereis(true1, name, game, w3gs.ProductROC) == inGame {
			t.Errorf("%s: she is in a game of another product", locale)
		}
		if parseWhereis(true1+" ", name, game, w3gs.ProductTFT) == inGame || parseWhereis(" "+true1, name, game, w3gs.ProductTFT) == inGame {
			t.Errorf("%s: another sentence confirms", locale)
		}
	}
	// Bytes that are no UTF-8 are not all the same.
	if parseWhereis("Ann is using Warcraft III Frozen Throne and is currently in  game \"\xc4\xe3\".", name, "\xba\xc3", w3gs.ProductTFT) == inGame {
		t.Error("another game with as many letters that are no UTF-8 confirms")
	}
	for _, text := range []string{
		`Ann is using Warcraft III Frozen Throne and is currently in the game "w3bar".`,
		`Ann uses Warcraft III and is currently in game "w3bar".`, `Ann → "w3bar"`, "Ann ", "Ann",
	} {
		if got := parseWhereis(text, name, game, w3gs.ProductTFT); got == inGame {
			t.Errorf("%q is not known, but confirms", text)
		}
	}
}
