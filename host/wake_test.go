package host

import (
	"sync"
	"testing"
	"time"

	"w3host/game/command"
)

// TestNoCallIsForgotten: what several goroutines ask of the shard is done, also on
// a host where no socket and no timer wakes it.
func TestNoCallIsForgotten(t *testing.T) { inBubble(t, testNoCallIsForgotten) }

func testNoCallIsForgotten(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for range 5000 {
					_ = g.Command(&command.Caller{Via: command.ViaConsole}, "version")
				}
			})
		}
		callers.Wait()
	}()
	select {
	case <-done:
	case <-time.After(2 * patience):
		t.Fatal("a call is never run")
	}
}
