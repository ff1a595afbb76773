package bots

import (
	"context"
	"net"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// The reader of a client that crashes ends, also while it is paused and when the client that
// comes after it is paused, too. The race detector sees whether it touches that one.
func TestPortableReaderEndsWithItsClient(t *testing.T) {
	for _, paused := range []bool{false, true} {
		p := newRig(t, Options{}).player
		ctx, end := context.WithCancel(t.Context())
		l := &loop{run: p.g.run}
		l.poller, _ = openPipes(l)
		p.g.loop, p.g.ctx, p.g.run.dial, p.conduct.CrashFor = l, ctx, make(chan struct{}, 1), time.Hour
		here, there := net.Pipe()
		p.g.mu.Lock()
		p.phase, p.paused = playing, paused
		p.socket, _ = l.poller.add(p, here)
		l.update(p)
		p.g.mu.Unlock()
		if paused {
			if _, err := there.Write([]byte{0}); err != nil { // the reader has it once this returns
				t.Fatal(err)
			}
		}
		p.g.mu.Lock()
		p.crash(time.Second)
		p.paused = paused
		p.g.mu.Unlock()
		l.done.Wait()
		end() // no client comes after it
		testkit.Eventually(t, "the end of the player", func() bool {
			p.g.mu.Lock()
			defer p.g.mu.Unlock()
			return p.phase == gone
		})
	}
}
