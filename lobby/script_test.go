package lobby

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// TestScripts plays testdata/*.txt. A line is a command of runner.dispatch, the indented lines below it are
// its calls of the sink. Time stands still, except in "wait". "hex COMMAND" shows packets as bytes.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(t *testing.T) testkit.Play {
		r := new(runner)
		return func(line string) ([]string, error) {
			line, r.hex = strings.CutPrefix(line, "hex ")
			r.lines = nil
			err := r.run(line)
			r.checkInvariants(t)
			return r.lines, err
		}
	})
}

// runner is a lobby under a script, and its sink.
type runner struct {
	lines []string
	l     *Lobby
	now   time.Duration
	conn  ConnID
	hex   bool

	places []Place // of the last start
}

// wait lets time pass, with a Tick whenever Next asks for one.
func (r *runner) wait(d time.Duration) error {
	end := r.now + d
	for range 10000 {
		at, ok := r.l.Next()
		if !ok || at > end {
			r.now = end
			return nil
		}
		r.now = max(at, r.now)
		before := len(r.lines)
		r.l.Tick(r.now)
		for i, line := range r.lines[before:] {
			r.lines[before+i] = fmt.Sprintf("%v: %s", r.now, line)
		}
	}
	return fmt.Errorf("Next never moves on from %v", r.now)
}
