package dockertest

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ignoreList is a .dockerignore: the last pattern that fits decides.
type ignoreList []string

func readIgnoreList(t *testing.T) ignoreList {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	return parseIgnoreList(string(text))
}

func parseIgnoreList(text string) (list ignoreList) {
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, not := strings.CutPrefix(line, "!")
		pattern = strings.TrimPrefix(path.Clean(pattern), "/")
		if not {
			pattern = "!" + pattern
		}
		list = append(list, pattern)
	}
	return list
}

// ignores says whether a path below the context is left out: it, or a folder
// above it, fits.
func (list ignoreList) ignores(name string) bool {
	ignored := false
	for _, pattern := range list {
		pattern, not := strings.CutPrefix(pattern, "!")
		for part := name; part != "."; part = path.Dir(part) {
			if fits(strings.Split(pattern, "/"), strings.Split(part, "/")) {
				ignored = !not
				break
			}
		}
	}
	return ignored
}

// fits compares element by element; ** is any number of them.
func fits(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return fits(pattern[1:], name) || len(name) > 0 && fits(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return ok && err == nil && fits(pattern[1:], name[1:])
}

// contextFiles lists the files that the build sees, with slashes.
func contextFiles(t *testing.T) (files []string) {
	t.Helper()
	list := readIgnoreList(t)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && rel == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular() && !list.ignores(rel):
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestIgnoreList(t *testing.T) {
	list := parseIgnoreList("# c\n.env*\n!.env.keep\n/bin\n**/*.log\nmaps\n!maps/README.md\n*.md\na/**/z\n")
	for name, want := range map[string]bool{
		".env": true, ".env.local": true, ".env.keep": false, "x/.env": false,
		"bin": true, "bin/tool": true, "cmd/bin": false,
		"a.log": true, "deep/er/a.log": true, "maps/x.w3x": true, "maps/README.md": false,
		"README.md": true, "docs/x.md": false, "a/z": true, "a/b/c/z": true, "a/b/c": false,
	} {
		if got := list.ignores(name); got != want {
			t.Errorf("%s is ignored: %v, want %v", name, got, want)
		}
	}
}

// No secret, no map and no script of the game gets into an image, wherever an
// operator has put it in his clone.
func TestContextHasNoSecrets(t *testing.T) {
	list := readIgnoreList(t)
	for _, name := range []string{
		".env", ".env.production", "config.toml", "data/w3host.db", "data/spool/1", "w3host", ".git/config",
		"maps/one.w3x", "maps/deep/two.w3m", "here.w3x", "scripts/common.j", "scripts/1.26/blizzard.j",
	} {
		if !list.ignores(name) {
			t.Errorf(".dockerignore lets %s into the image's build", name)
		}
	}
	files := contextFiles(t)
	for _, name := range []string{"go.mod", "go.sum", "cmd/w3host/main.go", "migrations/postgres/00001_game_log.sql"} {
		if !slices.Contains(files, name) {
			t.Errorf(".dockerignore keeps %s from the build", name)
		}
	}
	for _, name := range files {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil && info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes, and the build hardly needs it: add it to .dockerignore", name, info.Size())
		}
	}
}
