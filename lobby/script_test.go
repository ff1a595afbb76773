package lobby

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// rewrite replaces what the scripts expect by what the lobby does. Blocks of
// bytes ("hex") are never rewritten: they come from the protocol's description.
var rewrite = flag.Bool("rewrite", false, "rewrite the expectations of testdata/*.txt, but for bytes")

// TestScripts runs testdata/*.txt. A script is a row of blocks: commands, a line
// "----", the effects that must follow, an empty line. A block without the line
// "----" only gets somewhere. Time stands still but for "wait". A line that begins with # is a comment. The commands are those of
// runner.run.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			runScript(t, file)
		})
	}
}

type block struct {
	line     int
	commands []string
	want     []string
	silent   bool // no "----": only to get somewhere
}

func runScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r := new(runner)
	for b := range parseScript(string(text), &out) {
		r.hex = false
		var got []string
		for _, command := range b.commands {
			effects, err := r.run(command)
			if err != nil {
				t.Fatalf("%s:%d: %q: %v", file, b.line, command, err)
			}
			got = append(got, effects...)
			r.checkInvariants(t)
		}
		g, w := normal(got), normal(b.want)
		if g != w && !b.silent && (r.hex || !*rewrite) {
			t.Errorf("%s:%d: %s\ngot:\n%s\nwant:\n%s", file, b.line, strings.Join(b.commands, "; "),
				strings.Join(got, "\n"), strings.Join(b.want, "\n"))
		}
		if r.hex {
			got = b.want
		}
		fmt.Fprintln(&out, strings.Join(b.commands, "\n"))
		if !b.silent {
			fmt.Fprintln(&out, strings.Join(append([]string{"----"}, got...), "\n"))
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// parseScript yields the blocks. Comments and empty lines between them go to
// out, as the place where the rewritten script grows.
func parseScript(text string, out *strings.Builder) iter.Seq[block] {
	return func(yield func(block) bool) {
		var b block
		wants := false
		flush := func() bool {
			b.silent = !wants
			ok := len(b.commands) == 0 || yield(b)
			b, wants = block{}, false
			return ok
		}
		for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			switch {
			case strings.HasPrefix(line, "#"):
				fmt.Fprintln(out, line)
			case line == "":
				if len(b.commands) > 0 && !flush() {
					return
				}
				fmt.Fprintln(out)
			case line == "----":
				wants = true
			case wants:
				b.want = append(b.want, line)
			default:
				if len(b.commands) == 0 {
					b.line = i + 1
				}
				b.commands = append(b.commands, line)
			}
		}
		flush()
	}
}

// normal makes the layout of expectations free: runs of white space are one.
func normal(lines []string) string {
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
}

// runner is a lobby under a script.
type runner struct {
	l    *Lobby
	now  time.Duration
	conn ConnID
	hex  bool
}

func (r *runner) handle(ev Event) []string { return r.show(r.l.Handle(r.now, ev, nil)) }

// wait lets time pass, with a Tick whenever Next asks for one.
func (r *runner) wait(d time.Duration) (lines []string, err error) {
	end := r.now + d
	for range 10000 {
		at, ok := r.l.Next()
		if !ok || at > end {
			r.now = end
			return lines, nil
		}
		r.now = max(at, r.now)
		for _, line := range r.show(r.l.Tick(r.now, nil)) {
			lines = append(lines, fmt.Sprintf("%v: %s", r.now, line))
		}
	}
	return nil, fmt.Errorf("Next never moves on from %v", r.now)
}
