package testkit

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Log is a log that tests read while many goroutines write it.
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

// Count is how often a text stands in the log.
func (l *Log) Count(text string) int { return strings.Count(l.String(), text) }

// Await returns what the pattern's group matches once it does.
func (l *Log) Await(t testing.TB, pattern string) string {
	t.Helper()
	for re, began := regexp.MustCompile(pattern), time.Now(); time.Since(began) < 60*time.Second; time.Sleep(10 * time.Millisecond) {
		if m := re.FindStringSubmatch(l.String()); m != nil {
			return m[len(m)-1]
		}
	}
	t.Fatalf("nothing like %s in:\n%s", pattern, l)
	return ""
}
