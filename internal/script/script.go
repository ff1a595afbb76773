// Package script runs the text scripts that show the rules of a pure room: a
// file holds what happens and, between, what must come of it.
package script

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the scripts bring about into them")

// Run plays each file of the pattern. play returns the script with what really
// came of it, which must be the file to the letter; with -update it becomes the
// file.
func Run(t *testing.T, pattern string, play func(t *testing.T, text string) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, file, strings.Split(got, "\n"), strings.Split(string(text), "\n"))
		})
	}
}

// compare stops at the first line that differs.
func compare(t *testing.T, file string, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s:%d:\n got %s\nwant %s", file, i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d lines, want %d", file, len(got), len(want))
	}
}
