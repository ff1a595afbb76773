//go:build linux && !portable

package host

import (
	"net"
	"slices"
	"testing"
	"time"

	"w3host/internal/heartbeat"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// crowd opens connections of which each has sent something that the host has yet
// to read.
func crowd(t *testing.T, r *rig, n int) (leave func()) {
	t.Helper()
	var all []net.Conn
	for range n {
		nc, err := net.Dial("tcp", r.h.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, nc)
		if _, err := nc.Write([]byte{0xF7}); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, nc := range all {
			_ = nc.Close()
		}
	}
}

// TestNothingThatHasArrivedMissesItsTurn: an action that lies in the kernel when
// its turn is due is in that turn, however many other sockets have something.
func TestNothingThatHasArrivedMissesItsTurn(t *testing.T) {
	tier.All(t, "judges lateness in real time")
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.Game.Turns.Period = 300 * time.Millisecond
		o.Limits.Unjoined, o.Limits.UnjoinedPerIP = 5000, 5000
	})
	g, players := r.play(10)
	_, others := r.play(10)
	for range 3 {
		// The shard stands still past the turn, while everything arrives.
		held, hold := make(chan struct{}), make(chan struct{})
		var turns int // that were sent
		var due time.Time
		g.call(func() { turns, due = int(g.machine.Snapshot().Turn), dueAt(g); close(held); <-hold })
		<-held
		for _, c := range others {
			c.Send(action([]byte{1}))
		}
		defer crowd(t, r, 1000)()
		for i, c := range players {
			c.Send(action([]byte{0xA0 + byte(i)}))
		}
		time.Sleep(time.Until(due) + 5*time.Millisecond)
		close(hold)
		testkit.Eventually(t, "the turn", func() bool { return players[0].Count(0x0C) > turns })
		var turn []byte
		for _, p := range players[0].All() {
			if p.B[1] == 0x0C {
				if turns--; turns < 0 {
					turn = p.B
					break
				}
			}
		}
		for i := range players {
			if len(turn) < 8 || !slices.Contains(turn[8:], 0xA0+byte(i)) {
				t.Errorf("the action of player %d missed its turn: % X", i+1, turn)
			}
		}
	}
}

// TestRunningGameWakesByTheClock: the loop of a running game wakes once for each turn, whatever
// its players send; the heartbeat of the process comes with a turn.
func TestRunningGameWakesByTheClock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, func(o *Options) { o.Heart = new(heartbeat.Heart) })
		g, players := r.play(3)
		cycles := func() (passes, turns int) {
			g.shard.Wait(func() { passes, turns = g.shard.Passes(), int(g.machine.Snapshot().Turn) })
			return passes, turns
		}
		players[0].Until(0x0C)
		before, first := cycles()
		for began := time.Now(); time.Since(began) < 10*time.Second; {
			for _, c := range players {
				c.Send(action([]byte{1}))
			}
			time.Sleep(20 * time.Millisecond)
		}
		after, last := cycles()
		if n, turns := after-before, last-first; n > turns+5 || turns < 90 {
			t.Errorf("the loop woke %d times in %d turns, want one for each, and those for this test", n, turns)
		}
	})
}
