package testkit

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Update is the flag -update: tests write their results into the files that they
// otherwise compare them with.
var Update = flag.Bool("update", false, "write the results of the scripts into them")

// Scripts plays each file that matches the pattern: events for a pure package,
// with the expected effects between them. play returns the script with the actual
// effects, which must equal the file; with -update it replaces the file.
func Scripts(t *testing.T, pattern string, play func(t *testing.T, text string) string) {
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
			if *Update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, file, strings.Split(got, "\n"), strings.Split(string(text), "\n"))
		})
	}
}

// Effects plays a script in which lines with the prefix are the effects of the line
// before them. Empty lines and those that begin with # are kept.
func Effects(t *testing.T, text, prefix string, event func(line string) ([]string, error)) string {
	t.Helper()
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, prefix) {
			continue
		}
		b.WriteString(line + "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		effects, err := event(line)
		if err != nil {
			t.Fatalf("line %d: %q: %v", i+1, line, err)
		}
		for _, e := range effects {
			b.WriteString(prefix + e + "\n")
		}
	}
	return b.String()
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
