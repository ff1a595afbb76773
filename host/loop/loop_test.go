package loop

import (
	"testing"

	"w3host/internal/testkit"
)

// TestWaitForTheLast: Wait tells that a function has run, also where the loop has ended before the caller looks.
func TestWaitForTheLast(t *testing.T) {
	l, err := New(nil, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	ran := make(chan bool)
	go func() { ran <- l.Wait(l.Abandon) }()
	testkit.Eventually(t, "the call", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.calls) == 1
	})
	l.runCalls()
	if !<-ran {
		t.Error("the caller is told that the function has not run")
	}
	if l.Wait(func() { t.Error("a function runs behind the end") }) {
		t.Error("the caller is told that it has")
	}
}
