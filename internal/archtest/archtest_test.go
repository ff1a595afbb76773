// Package archtest checks that the code follows the table of packages in docs/packages.md: which package
// may import which, and that pure packages use no clock, goroutines or I/O. It contains only tests.
package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "w3host"

// entry is a row of the table: what a package may import of this module, and whether it is pure: no
// clock, no network, no files, no goroutines, no log.
type entry struct {
	imports []string
	pure    bool
}

// table is the table. A package that is not in it needs a row: decide where it
// belongs before adding it.
var table = readTable()

var row = regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)`[^|]*\\|[^|]*\\|([^|]*)\\|([^|]*)\\|$")

func readTable() map[string]entry {
	doc, err := os.ReadFile("../../docs/packages.md")
	if err != nil {
		panic(err)
	}
	text, _, _ := strings.Cut(string(doc), "## Tickers and timers")
	table := map[string]entry{}
	for _, cells := range row.FindAllStringSubmatch(text, -1) {
		r := entry{imports: []string{cells[1]}, pure: strings.TrimSpace(cells[3]) == "yes"}
		for name := range strings.SplitSeq(cells[2], ",") {
			if name = strings.Trim(name, " –"); name != "" {
				r.imports = append(r.imports, name)
			}
		}
		table[cells[1]] = r
	}
	return table
}

// impure are the standard packages that a pure package must do without. time is
// allowed for its Duration; what reads the clock is looked for by name.
var impure = []string{
	"net", "net/http", "os", "os/exec", "os/signal", "syscall", "log", "log/slog", "sync", "sync/atomic",
	"runtime", "path/filepath", "io/ioutil", "context", "math/rand",
}

// allowedImpure are the exceptions, each with its reason.
var allowedImpure = map[string][]string{
	"formats/w3map/builtin": {"sync"},        // built once
	"formats/mpq":           {"sync"},        // pools of decompressors
	"formats/replay":        {"sync"},        // a pool of compressors
	"mapxfer":               {"sync/atomic"}, // part checksums shared by lobbies
	"spectate":              {"sync"},        // a pool of compressors
}

// pureLibraries only compute: bytes in, bytes out.
var pureLibraries = []string{
	"github.com/klauspost/compress/flate", "github.com/klauspost/compress/zlib",
	"google.golang.org/protobuf/encoding/protowire",
}

// clocks are the functions of package time that read or wait for the clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	walk(t, func(dir, path string, file *ast.File) {
		name, r, ok := rowOf(dir)
		if !ok {
			t.Errorf("%s: the package %s has no row in the table", path, dir)
			return
		}
		seen[name] = true
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if inner, ours := strings.CutPrefix(imported, module+"/"); ours {
				if !r.mayImport(inner) {
					t.Errorf("%s imports %s, which %s may not", path, inner, name)
				}
			} else if r.pure && slices.Contains(impure, imported) && !slices.Contains(allowedImpure[name], imported) {
				t.Errorf("%s imports %s: %s is a pure package", path, imported, name)
			} else if r.pure && strings.Contains(imported, ".") && !strings.HasPrefix(imported, "golang.org/x/") && !slices.Contains(pureLibraries, imported) {
				t.Errorf("%s imports %s: a pure package has no library that does more than compute", path, imported)
			}
		}
		if r.pure {
			checkPure(t, path, file)
		}
		if name == "host" {
			checkMute(t, path, file)
		}
	})
	for name := range table {
		if !seen[name] && name != "internal/dockertest" { // which has tests only
			t.Errorf("there is no package %s", name)
		}
	}
}

// checkMute finds texts for players, which are not for a package that carries bytes.
func checkMute(t *testing.T, path string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Of" || s.Sel.Name == "Plain") {
			if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "texts" {
				t.Errorf("%s has a text for players: it belongs to package game", path)
			}
		}
		return true
	})
}

// checkPure finds what no import shows: go statements and the clock.
func checkPure(t *testing.T, path string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			t.Errorf("%s starts a goroutine in a pure package", path)
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
				t.Errorf("%s uses time.%s in a pure package", path, n.Sel.Name)
			}
		}
		return true
	})
}

// rowOf finds the row of a directory: its own, or that of the nearest directory
// above it.
func rowOf(dir string) (string, entry, bool) {
	for name := dir; name != "."; name = filepath.ToSlash(filepath.Dir(name)) {
		if r, ok := table[name]; ok {
			return name, r, true
		}
	}
	return "", entry{}, false
}

// mayImport compares by row, so that packages below a row count as it.
func (r entry) mayImport(inner string) bool {
	for _, allowed := range r.imports {
		if allowed == "all" || inner == allowed || strings.HasPrefix(inner, allowed+"/") {
			return true
		}
	}
	return false
}

// walk parses every file of the module that is not a test.
func walk(t *testing.T, visit func(dir, path string, file *ast.File)) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "tools" || rel == filepath.Join("internal", "archtest")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(filepath.Dir(rel)), filepath.ToSlash(rel), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWalk checks the ways of an action, a kick, a crash and an upgrade in docs/architecture.md: each
// function that they name is in the file before it.
func TestWalk(t *testing.T) {
	doc, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walk, _ := strings.Cut(string(doc), "## The way of an action")
	walk, _, _ = strings.Cut(walk, "## The loop")
	steps := regexp.MustCompile("`([a-z0-9/_]+/[a-z0-9_]+\\.go)`((?: [A-Za-z]+[,;)])*)").FindAllStringSubmatch(walk, -1)
	if len(steps) < 20 {
		t.Fatalf("%d files in the walk", len(steps))
	}
	for _, step := range steps {
		code, err := os.ReadFile(filepath.Join("../..", step[1]))
		if err != nil {
			t.Error(err)
		}
		for _, name := range strings.FieldsFunc(step[2], func(r rune) bool { return strings.ContainsRune(" ,;)", r) }) {
			if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + name + `\(`).Match(code) {
				t.Errorf("%s has no function %s", step[1], name)
			}
		}
	}
}
