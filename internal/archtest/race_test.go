package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// raceFile lists the packages that scripts/test.sh tests with the race detector.
const raceFile = "race.txt"

// selection is which tests of a package run with the race detector: those whose names match
// run, or all but those that match skip if run is nil. flags are more flags of the tests, in
// pairs of name and value.
type selection struct {
	run, skip *regexp.Regexp
	flags     []string
}

// raced reads which packages run with the race detector.
func raced(t *testing.T) map[string]selection {
	t.Helper()
	text, err := os.ReadFile(raceFile)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]selection{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case len(words) == 1:
			listed[words[0]] = selection{}
		case words[1] == "-skip" && len(words) == 3:
			listed[words[0]] = selection{skip: regexp.MustCompile(words[2])}
		case words[1] == "-run" && len(words)%2 == 1:
			listed[words[0]] = selection{run: regexp.MustCompile(words[2]), flags: words[3:]}
		default:
			t.Errorf("%s: %q is neither a package nor a package with -run or -skip", raceFile, line)
		}
	}
	return listed
}

// TestRaceList proves that the race detector can find nothing in the packages that
// race.txt leaves out, and that it can find something in those that race.txt lists.
func TestRaceList(t *testing.T) {
	listed := raced(t)
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.ImportPath, module+"/") || len(p.GoFiles) == 0 {
			continue // a package of tests only has no code that others run at the same time
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		some, inList := listed[name]
		delete(listed, name)
		code, tests := p.parse(t, p.GoFiles), p.parse(t, slices.Concat(p.TestGoFiles, p.XTestGoFiles))
		starts := concurrentTests(tests)
		why := concurrency(code)
		if why == "" && len(starts) > 0 {
			why = starts[0] + " starts goroutines"
		}
		switch {
		case why != "" && !inList:
			t.Errorf("%s: %s; add it to internal/archtest/%s", name, why, raceFile)
		case why == "" && inList:
			t.Errorf("%s has no goroutine and no lock: remove it from internal/archtest/%s", name, raceFile)
		}
		if inList && some.run == nil {
			continue
		}
		if inList {
			checkNoGoroutines(t, name, code)
			checkSelection(t, name, some, starts, tests)
		}
		for _, write := range p.variableWrites(t, code) {
			t.Errorf("%s: %s; two goroutines that use the package would race: pass the value, or list the package in internal/archtest/%s", name, write, raceFile)
		}
	}
	for name := range listed {
		t.Errorf("internal/archtest/%s: there is no package %s", raceFile, name)
	}
}

// TestSkippedOnce checks that what race.txt skips in one package is a test there and in no other package:
// scripts/test.sh passes all patterns to one go test.
func TestSkippedOnce(t *testing.T) {
	listed := raced(t)
	for _, p := range packages(t) {
		name, own := strings.CutPrefix(p.ImportPath, module+"/")
		if some, inList := listed[name]; !own || !inList || some.run != nil {
			continue
		}
		var tests []string
		for _, file := range p.parse(t, slices.Concat(p.TestGoFiles, p.XTestGoFiles)) {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
					tests = append(tests, f.Name.Name)
				}
			}
		}
		for skipper, some := range listed {
			if some.skip != nil && slices.ContainsFunc(tests, some.skip.MatchString) != (skipper == name) {
				t.Errorf("internal/archtest/%s: the pattern %s of %s has to match tests there and nowhere else; in %s it does not", raceFile, some.skip, skipper, name)
			}
		}
	}
}

// checkNoGoroutines finds go statements in a package of which only some tests run with
// the race detector.
func checkNoGoroutines(t *testing.T, name string, files []*ast.File) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts goroutines: run all its tests with the race detector (%s)", name, raceFile)
			}
			return true
		})
	}
}

// checkSelection checks that a selection has a test that starts goroutines, and that the
// tests know its flags.
func checkSelection(t *testing.T, name string, some selection, starts []string, tests []*ast.File) {
	t.Helper()
	if !slices.ContainsFunc(starts, some.run.MatchString) {
		t.Errorf("%s: no test that starts goroutines matches %q in %s", name, some.run, raceFile)
	}
	known := map[string]bool{}
	for _, file := range tests {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 3 {
				for _, text := range literals(call.Args[0]) {
					known["-"+text] = true
				}
			}
			return true
		})
	}
	for pair := range slices.Chunk(some.flags, 2) {
		if !known[pair[0]] {
			t.Errorf("%s: its tests have no flag %s, which %s gives", name, pair[0], raceFile)
		}
	}
}

// goListed is a package as go list describes it.
type goListed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string

	fset    *token.FileSet
	exports map[string]string // of all packages
}

// packages lists the packages of the module and all that they import.
func packages(t *testing.T) []*goListed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir, cmd.Stderr = filepath.Join("..", ".."), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []*goListed
	fset, exports := token.NewFileSet(), map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &goListed{fset: fset, exports: exports}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		all = append(all, p)
	}
}

func (p *goListed) parse(t *testing.T, names []string) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(p.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// concurrency says why code may run on several goroutines at once: it starts them, it
// has locks, or it serves HTTP. "" means that nothing suggests it.
func concurrency(files []*ast.File) (why string) {
	for _, file := range files {
		for _, spec := range file.Imports {
			switch imported, _ := strconv.Unquote(spec.Path.Value); imported {
			case "sync", "sync/atomic", "net/http", module + "/internal/background":
				return "it imports " + imported
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if startsGoroutine(n) {
				why = "it starts goroutines"
			}
			return why == ""
		})
	}
	return why
}

// startsGoroutine reports whether n is a go statement or a call that runs a function on
// another goroutine.
func startsGoroutine(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		return ok && (f.Sel.Name == "AfterFunc" || f.Sel.Name == "Go" || f.Sel.Name == "Parallel" && len(n.Args) == 0)
	}
	return false
}

// concurrentTests names the tests that start goroutines, by themselves or through other
// functions of the test files. Functions are told apart by name only.
func concurrentTests(files []*ast.File) []string {
	calls, starts := map[string][]string{}, map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if n != nil && startsGoroutine(n) {
					starts[f.Name.Name] = true
				}
				if id, ok := n.(*ast.Ident); ok {
					calls[f.Name.Name] = append(calls[f.Name.Name], id.Name)
				}
				return true
			})
		}
	}
	for again := true; again; {
		again = false
		for caller, called := range calls {
			if !starts[caller] && slices.ContainsFunc(called, func(name string) bool { return starts[name] && name != caller }) {
				starts[caller], again = true, true
			}
		}
	}
	var tests []string
	for name := range starts {
		if strings.HasPrefix(name, "Test") {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests
}

// variableWrites finds where code, apart from init functions, may change a variable of its
// package: an assignment, ++ and --, the variable's address, a method with a pointer
// receiver, and the built-in functions that change an argument. Variables of the types in
// shared are for use by several goroutines. A map or slice that leaves its variable and is
// changed under another name is not found.
func (p *goListed) variableWrites(t *testing.T, files []*ast.File) (writes []string) {
	t.Helper()
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) }
	cfg := types.Config{Importer: importer.ForCompiler(p.fset, "gc", lookup)}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := cfg.Check(p.ImportPath, p.fset, files, info); err != nil {
		t.Fatal(err)
	}
	w := writeFinder{info: info}
	for _, file := range files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && (f.Name.Name != "init" || f.Recv != nil) {
				ast.Inspect(f, w.look)
			}
		}
	}
	for _, found := range w.found {
		at := p.fset.Position(found.Pos())
		writes = append(writes, filepath.Base(at.Filename)+":"+strconv.Itoa(at.Line)+" may change the package variable "+found.Name)
	}
	return writes
}

type writeFinder struct {
	info  *types.Info
	found []*ast.Ident
}

func (w *writeFinder) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			w.changed(n.Lhs...)
		}
	case *ast.IncDecStmt:
		w.changed(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.changed(n.Key, n.Value)
		}
	case *ast.SendStmt:
		w.changed(n.Chan)
	case *ast.UnaryExpr:
		if n.Op == token.AND || n.Op == token.ARROW {
			w.changed(n.X)
		}
	case *ast.CallExpr:
		switch f := n.Fun.(type) {
		case *ast.Ident:
			if b, ok := w.info.Uses[f].(*types.Builtin); ok && slices.Contains([]string{"append", "clear", "close", "copy", "delete"}, b.Name()) {
				w.changed(n.Args[0])
			}
		case *ast.SelectorExpr:
			if s := w.info.Selections[f]; s != nil && s.Kind() == types.MethodVal {
				if _, pointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer); pointer {
					w.changed(f.X)
				}
			}
		}
	}
	return true
}

// changed notes the package variables at the roots of expressions that are written to.
func (w *writeFinder) changed(targets ...ast.Expr) {
	for _, target := range targets {
		if id := w.root(target); id != nil {
			if v, ok := w.info.Uses[id].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() && !isShared(v.Type()) {
				w.found = append(w.found, id)
			}
		}
	}
}

// root finds the variable of which e is a part or an element.
func (w *writeFinder) root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if w.info.Selections[x] == nil { // a name of another package
				return x.Sel
			}
			e = x.X
		default:
			return nil
		}
	}
}

// shared are types of which several goroutines may use one variable.
var shared = map[string]bool{
	"regexp.Regexp": true, "strings.Replacer": true, "encoding/base64.Encoding": true, // as documented
	module + "/formats/mpq.codeTable": true, // only read after newCodeTable
}

func isShared(of types.Type) bool {
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	n, ok := of.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	pkg := n.Obj().Pkg().Path()
	return pkg == "sync" || pkg == "sync/atomic" || shared[pkg+"."+n.Obj().Name()]
}
