package testkit

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Log is a log that a test can read while other goroutines write to it.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Count returns how often a text occurs in the log.
func (l *Log) Count(text string) int { return strings.Count(l.String(), text) }

// Await waits until the log matches the pattern, and returns the text of its last group.
func (l *Log) Await(t testing.TB, pattern string) string {
	t.Helper()
	re, found := regexp.MustCompile(pattern), []string(nil)
	defer func() {
		if found == nil {
			t.Logf("the log is:\n%s", l)
		}
	}()
	Eventually(t, pattern, func() bool { found = re.FindStringSubmatch(l.String()); return found != nil })
	return found[len(found)-1]
}
