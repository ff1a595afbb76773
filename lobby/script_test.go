package lobby

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// TestScripts plays testdata/*.txt. A line is a command of runner.dispatch, the indented lines below it are
// the effects. Time stands still, except in "wait". "hex COMMAND" shows packets as bytes.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(t *testing.T) testkit.Play {
		r := new(runner)
		return func(line string) ([]string, error) {
			line, r.hex = strings.CutPrefix(line, "hex ")
			effects, err := r.run(line)
			r.checkInvariants(t)
			return effects, err
		}
	})
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
