package testkit

import (
	"testing"
	"time"
)

// longest is how long a test waits for an event; it is long because the machine may be busy.
const longest = time.Minute

// Eventually waits until ok returns true, and fails the test after a long time. what describes the condition.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	limit := longest
	if Virtual() {
		limit = virtualPatience
	}
	for began := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}
