package lobby

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// TestScripts runs testdata/*.txt. A script is a row of blocks: commands, a line
// "----", the effects that must follow, an empty line. A block without the line
// "----" only gets somewhere. Time stands still but for "wait". A line that begins
// with # is a comment. The commands are those of runner.run. Blocks of bytes
// ("hex") come from the protocol's description: -update leaves them alone.
func TestScripts(t *testing.T) { testkit.Scripts(t, "testdata/*.txt", playScript) }

type block struct {
	line     int
	commands []string
	want     []string
	silent   bool // no "----": only to get somewhere
}

func playScript(t *testing.T, text string) string {
	var out strings.Builder
	r := new(runner)
	for b := range parseScript(text, &out) {
		r.hex = false
		var got []string
		for _, command := range b.commands {
			effects, err := r.run(command)
			if err != nil {
				t.Fatalf("line %d: %q: %v", b.line, command, err)
			}
			got = append(got, effects...)
			r.checkInvariants(t)
		}
		same := normal(got) == normal(b.want)
		if r.hex && !same {
			t.Errorf("line %d: %s\ngot:\n%s", b.line, strings.Join(b.commands, "; "), strings.Join(got, "\n"))
		}
		if r.hex || same {
			got = b.want // as it is laid out
		}
		fmt.Fprintln(&out, strings.Join(b.commands, "\n"))
		if !b.silent {
			fmt.Fprintln(&out, strings.Join(append([]string{"----"}, got...), "\n"))
		}
	}
	return out.String()
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

	command string  // at hand
	places  []Place // of the last start
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
