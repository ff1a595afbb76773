package control

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"w3host/game/command"
	"w3host/internal/testkit"
)

// "exit nice" ends the host also while lines come all the time: each here is followed by the next at once.
func TestExitNiceUnderLines(t *testing.T) {
	s := newStage(t, map[string]map[string]bool{})
	over := make(chan struct{})
	var line func()
	line = func() {
		s.operator.exiting = true // as exit nice does where a lobby waits; on the goroutine of Run
		go func() {
			select {
			case s.operator.lines <- request{by: &command.Caller{Name: "Eve"}, line: "help", done: line}:
			case <-over:
			case <-s.operator.done:
			}
		}()
	}
	s.operator.lines <- request{by: &command.Caller{Name: "Eve"}, line: "help", done: line}
	testkit.Eventually(t, "the end of the host", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Contains(s.told, "the host is shutting down")
	})
	close(over)
}

// The answer to a command that ends the host, as an upgrade does, reaches its caller.
func TestAnswerOfTheLastCommand(t *testing.T) {
	for range 1000 { // select chooses by chance what it sees first
		o := &Operator{lines: make(chan request), done: make(chan struct{})}
		go func() {
			r := <-o.lines
			r.done()
			close(o.done)
		}()
		if err := o.order(t.Context(), &command.Caller{}, request{}); err != nil {
			t.Fatal(err)
		}
	}
}

// A caller who asks for an upgrade waits until the games have moved, though the host has stopped by then. Others do not
// wait so long.
func TestAnswerOutlivesTheHost(t *testing.T) {
	for _, outlives := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			o := &Operator{lines: make(chan request), done: make(chan struct{})}
			ctx, stop := context.WithCancel(t.Context())
			go func() {
				r := <-o.lines
				if outlives {
					r.by.Outlive()
				}
				stop()
				close(o.done)
				time.Sleep(time.Minute) // the games move
				r.done()
			}()
			began, told := time.Now(), false
			err := o.order(ctx, &command.Caller{Outlive: func() { told = true }}, request{})
			if took := time.Since(began); (took == time.Minute) != outlives || (err == nil) != outlives || told != outlives {
				t.Errorf("outlives: %v; answered after %v: %v", outlives, took, err)
			}
			time.Sleep(time.Minute) // the games have moved
		})
	}
}
