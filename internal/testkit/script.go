package testkit

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Update is the flag -update, which makes tests write their results into the files that they otherwise
// compare them with.
var Update = flag.Bool("update", false, "write the results of the scripts into them")

// Play executes one line of a script and returns its effects.
type Play func(line string) (effects []string, err error)

// Scripts plays each file that matches the pattern; begin starts a script. Lines without indentation are
// events, and the indented lines below one are its effects. Empty lines and lines starting with # are
// comments. Effects of an event in parentheses are not shown.
//
// The effects must equal those in the file; with -update they replace them. The effects of an event "hex
// EVENT" come from the protocol description and have their own layout, so -update does not change them.
func Scripts(t *testing.T, pattern string, begin func(t *testing.T) Play) {
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
			want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			got := played(t, want, begin(t))
			if *Update {
				if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, file, got, want)
		})
	}
}

const indent = "  "

// played returns a script with the actual effects of its events.
func played(t *testing.T, script []string, play Play) (lines []string) {
	t.Helper()
	for i, line := range script {
		if strings.HasPrefix(line, indent) {
			continue
		}
		lines = append(lines, line)
		if line == "" || line[0] == '#' {
			continue
		}
		event, silent := strings.CutPrefix(line, "(")
		if silent {
			event = strings.TrimSuffix(event, ")")
		}
		effects, err := play(event)
		if err != nil {
			t.Fatalf("line %d: %q: %v", i+1, line, err)
		}
		var shown []string
		if !silent && len(effects) > 0 {
			for e := range strings.SplitSeq(strings.Join(effects, "\n"), "\n") {
				shown = append(shown, indent+e)
			}
		}
		if strings.HasPrefix(event, "hex ") {
			shown = golden(t, i, shown, script[i+1:])
		}
		lines = append(lines, shown...)
	}
	return lines
}

// golden returns the expected lines of an event. It fails the test if the actual ones differ, ignoring white
// space.
func golden(t *testing.T, event int, got, below []string) []string {
	t.Helper()
	end := slices.IndexFunc(below, func(line string) bool { return !strings.HasPrefix(line, indent) })
	if end >= 0 {
		below = below[:end]
	}
	words := func(lines []string) string { return strings.Join(strings.Fields(strings.Join(lines, " ")), " ") }
	if words(got) != words(below) {
		t.Errorf("line %d: got\n%s", event+1, strings.Join(got, "\n"))
	}
	return below
}

// compare fails the test at the first line that differs.
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
