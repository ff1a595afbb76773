package texts_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"w3host/game/command"
	"w3host/mapxfer"
	"w3host/storage"
	gamesync "w3host/sync"
	"w3host/texts"
	"w3host/web"
	"w3host/web/access"
)

// formats names the functions that take sentences, with the places of those
// among their arguments.
var formats = map[string][]int{
	"Of": {0}, "Known": {0}, "Count": {1, 2}, "If": {1, 2}, "Sprintf": {1},
	"say": {1}, "withWhy": {1, 2}, "answer": {1}, "Refuse": {1}, "cannot": {0}, "Fail": {0},
	"one": {0}, "worded": {2}, "listed": {0}, "outOfRange": {0}, "Word": {0}, "Phrase": {0}, "Text": {0}, "Number": {0}, "Ordinal": {0}, "of": {0}, "L": {0}, "frame": {2}, "lobbies": {1}, "answered": {1}, "showLogin": {3},
}

// rooms are where players' sentences are written.
var rooms = []string{"control", "control/people", "control/saves", "daemon", "game", "game/autohost", "game/command", "host", "lan/play", "lobby", "spectate", "sync", "texts", "web", "web/pages", "web/site", "web/view"}

// sentences lists what players read, each with the place where it is written, and which of
// them are singulars, for languages that have some.
func sentences(t *testing.T) (found map[string]string, singular map[string]bool) {
	t.Helper()
	found, singular = make(map[string]string), make(map[string]bool)
	fset := token.NewFileSet()
	note := func(e ast.Expr) (text string) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ = strconv.Unquote(lit.Value)
			found[text] = fset.Position(lit.Pos()).String()
		}
		return text
	}
	for _, room := range rooms {
		files, err := filepath.Glob("../" + room + "/*.go")
		if err != nil || files == nil {
			t.Fatalf("%s: %v", room, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(fset, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					for _, place := range formats[callee(n.Fun)] {
						if place < len(n.Args) {
							text := note(n.Args[place])
							singular[text] = singular[text] || callee(n.Fun) == "Count" && place == 1
						}
					}
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Help" || key.Name == "Notice") {
						note(n.Value)
					}
				}
				return true
			})
		}
	}
	pages, err := filepath.Glob("../web/*/templates/*.html")
	pages = append(pages, "../web/login.html")
	if err != nil || pages == nil {
		t.Fatal(err)
	}
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range labels.FindAllStringSubmatch(string(text), -1) {
			found[label[1]] = name
		}
	}
	for _, end := range []storage.EndReason{
		storage.EndFinished, storage.EndDesync, storage.EndClosed, storage.EndRemade, storage.EndStopped, storage.EndShutdown, storage.EndCrashed,
	} {
		found[string(end)] = "storage.EndReason"
	}
	for _, err := range []error{access.ErrWrong, access.ErrSpent, web.ErrBusy} {
		found[err.Error()] = "web/login.go"
	}
	for _, how := range []gamesync.EndReason{gamesync.EndAllLeft, gamesync.EndLastPlayer, gamesync.EndDesync, gamesync.EndEnded} {
		found[string(how)] = "gamesync.How"
	}
	for level := command.Anyone; level <= command.Root; level++ {
		found[level.String()] = "command.Level"
	}
	for _, phase := range []command.Phase{command.InLobby, command.InGame, command.Always} {
		found[phase.String()] = "command.Phase"
	}
	for _, cause := range []gamesync.Cause{gamesync.CauseConnection, gamesync.CauseComputer, gamesync.CauseHost, gamesync.CauseUnknown} {
		found[string(cause)] = "gamesync.Cause"
	}
	for _, role := range storage.Roles() {
		found[string(role)] = "storage.Role"
	}
	for why := mapxfer.WhyOff; why <= mapxfer.WhyRestarts; why++ {
		found[why.String()] = "mapxfer.Why"
	}
	return found, singular
}

// callee is the last part of a called name; empty for what writes no sentences.
func callee(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && x.Name == "fmt" {
			return ""
		}
		return fun.Sel.Name
	}
	return ""
}

var (
	verb  = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*[\d.]*(?:\[(\d+)\])?([a-zA-Z%])`)
	words = regexp.MustCompile(`\pL`)
)

// labels are those of a page's template.
var labels = regexp.MustCompile(`\.L "([^"]+)"`)

func hasWords(format string) bool { return words.MatchString(verb.ReplaceAllString(format, "")) }

// verbs lists which argument a format shows how.
func verbs(format string) []string {
	shown := make(map[string]bool)
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" {
			continue
		}
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil {
			next = n
		}
		shown[fmt.Sprintf("%d%s", next, m[3])] = true
		next++
	}
	return slices.Sorted(maps.Keys(shown))
}

// Every sentence is in every catalogue with the same arguments, and no catalogue
// has others.
func TestComplete(t *testing.T) {
	written, singular := sentences(t)
	if len(written) < 200 {
		t.Fatalf("only %d sentences found", len(written))
	}
	for i, catalogue := range texts.Catalogues[1:] {
		language := texts.English + 1 + texts.Language(i)
		for format, place := range written {
			there, ok := catalogue[format]
			switch {
			case !ok && (singular[format] || !hasWords(format)):
			case !ok:
				t.Errorf("%s: %q has no translation into %v: add one to the catalogue in texts/", place, format, language)
			case !slices.Equal(verbs(format), verbs(there)):
				t.Errorf("%v: %q has the arguments %v, %q has %v", language, format, verbs(format), there, verbs(there))
			}
		}
		for format := range catalogue {
			if written[format] == "" {
				t.Errorf("%v: nobody says %q any more", language, format)
			}
		}
	}
}
