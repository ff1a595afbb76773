package archtest

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mayRunUp are the uses of a file that is read before the one that uses it.
var mayRunUp = [][2]string{
	{"link.go", "game.go"}, // a link knows its game, and a game its links
}

// TestReadingOrder holds the files of host to the order in which docs/architecture.md
// lists them: each uses only what stands in files below it.
func TestReadingOrder(t *testing.T) {
	doc, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(doc), "## The host")
	list, _, _ = strings.Cut(list, "\n## ")
	place := map[string]int{}
	for i, file := range regexp.MustCompile("`([a-z]+\\.go)`").FindAllStringSubmatch(list, -1) {
		if _, twice := place[file[1]]; twice {
			t.Errorf("docs/architecture.md lists %s twice", file[1])
		}
		place[file[1]] = i
	}
	arrows, up := arrowsIn(t, "../../host"), 0
	for arrow, name := range arrows {
		from, to := arrow[0], arrow[1]
		for _, file := range arrow {
			if _, listed := place[file]; !listed {
				t.Fatalf("docs/architecture.md does not list host/%s", file)
			}
		}
		if place[from] < place[to] {
			continue
		}
		if up++; !slices.Contains(mayRunUp, arrow) {
			t.Errorf("host/%s uses %s of %s, which is read before it", from, name, to)
		}
	}
	t.Logf("host: %d files, %d arrows between them, %d run up", len(place), len(arrows), up)
}

// arrowsIn finds which files of a package use functions, methods, types, constants and
// variables of which others; with one of the names.
func arrowsIn(t *testing.T, dir string) map[[2]string]string {
	p, err := build.Default.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	// What other packages declare is not known, and need not be.
	cfg := types.Config{Importer: hollow{}, Error: func(error) {}}
	pkg, _ := cfg.Check(dir, fset, files, &info)
	arrows := map[[2]string]string{}
	for id, used := range info.Uses {
		if used.Pkg() != pkg || used.Parent() != pkg.Scope() && !isMethod(used) {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(used.Pos()).Filename
		if from != to {
			arrows[[2]string{filepath.Base(from), filepath.Base(to)}] = used.Name()
		}
	}
	return arrows
}

func isMethod(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && f.Signature().Recv() != nil
}

// hollow imports packages as empty ones.
type hollow struct{}

func (hollow) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}
