package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentsNameRealKeys checks that every `section.key` in the documents is a key of the configuration.
func TestDocumentsNameRealKeys(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, key := range Keys() {
		section, _, _ := strings.Cut(key, ".")
		sections[section] = true
	}
	others := []string{"game.started", "game.ended", "game.turns", "results.doubtful", "web.json"} // events, a column, a file
	named := regexp.MustCompile("`([a-z]+)\\.([a-z_]+)(?:`| = )")
	found := 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range named.FindAllStringSubmatch(string(text), -1) {
			name := key[1] + "." + key[2]
			if !sections[key[1]] || key[2] == "go" || slices.Contains(others, name) {
				continue
			}
			found++
			if !slices.Contains(Keys(), name) {
				t.Errorf("%s names %s, which is no setting", page, name)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d keys found", found)
	}
}
