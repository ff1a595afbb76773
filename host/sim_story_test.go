//go:build linux

package host

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// simTape keeps the story of a simulation: what happened in it and what the host logged, in order. Without -sim.log it
// keeps only the last lines.
type simTape struct {
	began time.Time
	dir   string // removed from lines, for each run has another one
	all   bool   // keep every line

	mu    sync.Mutex
	lines []simLine
	bad   []string // errors of the host that no death or end of a process accounts for
	sum   uint64   // of all lines: two runs with the same sum went the same way
}

type simLine struct {
	at   time.Duration // virtual time since the beginning
	text string        // JSON if the host logged it
}

// tell adds an event to the story.
func (w *simWorld) tell(format string, args ...any) { w.log.add(fmt.Sprintf(format, args...)) }

// variable are fields that may differ between two runs of a seed, and change nothing else: how often the loop of a host went
// round, which it may do once more in the same instant of virtual time, and the key of a game, which depends on how many
// keys the test has made before.
var variable = regexp.MustCompile(`,"passes":\d+|,"key":"[^"]*"`)

// accountedFor are errors that follow from three deaths in one game, from the end of the process, or from faults of the disk.
var accountedFor = regexp.MustCompile(`a game cannot be made again|a game ends with this process|cannot write to the spool|cannot sync the spool|cannot read the spool`)

// Write takes a line that the host logs.
func (l *simTape) Write(b []byte) (int, error) {
	text := strings.ReplaceAll(strings.TrimSpace(string(b)), l.dir, "")
	l.add(variable.ReplaceAllString(text, ""))
	if strings.Contains(text, `"level":"error"`) && !accountedFor.MatchString(text) {
		l.mu.Lock()
		l.bad = append(l.bad, text)
		l.mu.Unlock()
	}
	return len(b), nil
}

func (l *simTape) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := time.Since(l.began)
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, l.sum, at, text)
	l.sum = h.Sum64()
	if l.lines = append(l.lines, simLine{at, text}); len(l.lines) > 3000 && !l.all {
		l.lines = slices.Clone(l.lines[1000:])
	}
}

// story is the kept lines, one event a line. Lines of the host are indented.
func (l *simTape) story() string {
	var b strings.Builder
	for _, line := range l.lines {
		text := line.text
		var fields map[string]any
		if json.Unmarshal([]byte(text), &fields) == nil {
			text = fmt.Sprintf("    %v: %v", fields["process"], fields["message"])
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				switch name {
				case "process", "message", "level", "key":
				default:
					text += fmt.Sprintf(" %s=%v", name, fields[name])
				}
			}
		}
		fmt.Fprintf(&b, "%9.3fs  %s\n", line.at.Seconds(), text)
	}
	return b.String()
}
