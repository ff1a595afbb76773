package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// knowers are the packages that commands pass through.
var knowers = []string{"game", "game/command", "control", "control/people", "host", "realm", "realm/session"}

// TestCommandNames finds second lists of commands: outside of the tables, and of the one
// that has what the database answers, nothing is decided by the name of a command.
func TestCommandNames(t *testing.T) {
	names := map[string]bool{}
	walk(t, func(dir, _ string, file *ast.File) {
		if dir != "game" && dir != "control" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok && (isIdent(kv.Key, "Name") || isIdent(kv.Key, "Aliases")) {
				for _, name := range literals(kv.Value) {
					names[name] = true
				}
				return false
			}
			return true
		})
	})
	if len(names) < 140 {
		t.Fatalf("%d names and aliases in the tables", len(names))
	}
	walk(t, func(dir, path string, file *ast.File) {
		if !slices.Contains(knowers, dir) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var decides []ast.Expr
			switch n := n.(type) {
			case *ast.CaseClause:
				decides = n.List
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					decides = []ast.Expr{n.X, n.Y}
				}
			case *ast.RangeStmt:
				if list, ok := n.X.(*ast.CompositeLit); ok {
					if of, ok := list.Type.(*ast.ArrayType); ok && isIdent(of.Elt, "string") {
						decides = list.Elts
					}
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Contains" || f.Sel.Name == "Find" || f.Sel.Name == "EqualFold") {
					decides = n.Args
				}
			}
			for _, expr := range decides {
				for _, text := range literals(expr) {
					if names[text] && (path != "control/complete.go" || text != "map") { // a kind of argument
						t.Errorf("%s decides by %q, which is the name of a command: make it a fact of its Spec", path, text)
					}
				}
			}
			return true
		})
	})
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// literals are the strings of an expression that calls nothing.
func literals(e ast.Expr) (found []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit, *ast.BinaryExpr:
			return false
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && strings.TrimSpace(text) != "" {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}
