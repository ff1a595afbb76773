package takeover

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/hold"
	"w3host/host/survive"
)

// standbyClient is the supervisor of a process that stands by for the death of the host.
type standbyClient struct {
	hold.Client
	news chan hold.News
}

func (standbyClient) IsStandby() bool              { return true }
func (s standbyClient) News() <-chan hold.News     { return s.news }
func (standbyClient) Inherited() map[hold.Name]int { return nil }

// inherited returns what a standby has of games that another process plays. A replay of one of them is what replay does.
func inherited(games int, news chan hold.News, replay func() error) *Inheritance {
	in := Inherit(standbyClient{news: news}, zerolog.Nop())
	in.Facts = func(*Game) Observer { return nil }
	in.guard = func(uint32, func() error) error { return replay() }
	for id := range games {
		in.games = append(in.games, &Game{ID: uint32(id + 1), Left: &survive.Left{}, sockets: map[game.LinkID]int{}})
	}
	return in
}

// A standby is ready when it has replayed all games, and not before: until then another process rebuilds
// them sooner. A game that hangs the replay shows, and a standby that is told to end does so.
func TestStandbyReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		news, replays := make(chan hold.News), 0
		in := inherited(2, news, func() error {
			if replays++; replays <= 2 {
				time.Sleep(time.Minute)
			}
			return nil
		})
		var ready atomic.Int32
		ended, began := make(chan error, 1), time.Now()
		ctx, end := context.WithCancel(t.Context())
		defer end()
		go func() { ended <- in.StandBy(ctx, func() { ready.Add(1) }) }()
		for _, c := range []struct {
			after time.Duration
			ready bool
			moved uint64
		}{{30 * time.Second, false, 1}, {61 * time.Second, false, 2}, {121 * time.Second, true, 3}} {
			time.Sleep(c.after - time.Since(began))
			synctest.Wait()
			if moved := in.Moved(); (ready.Load() > 0) != c.ready || moved < c.moved || !c.ready && moved > c.moved {
				t.Errorf("after %v: ready %d times, moved %d", c.after, ready.Load(), moved)
			}
		}
		news <- hold.News{Verb: hold.GoOn}
		if err := <-ended; err != nil {
			t.Errorf("told to go on: %v", err)
		}
		go func() { ended <- in.StandBy(ctx, func() {}) }()
		end()
		if err := <-ended; err == nil {
			t.Error("told to end: it goes on")
		}
	})
}

// However often a client joins a running game, its replica begins from the start only once in a while.
func TestReplicaBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := inherited(1, nil, func() error { return nil })
		begun := map[*replica]bool{}
		for link := range uint32(100) {
			in.receive(hold.LinkName(1, link+1), 0)
			in.lookAtAll()
			if r := in.games[0].replica; r != nil {
				begun[r] = true
			}
			time.Sleep(lookEvery)
		}
		if len(begun) != 3 {
			t.Errorf("begun %d times in five seconds", len(begun))
		}
	})
}

// A replica that fails leaves the game with its owner, which a process that stands by for an upgrade notes for it.
func TestReplicaFails(t *testing.T) {
	in := inherited(1, nil, func() error { return errors.New("other rules") })
	if !in.lookAtAll() || in.games[0].state != Staying {
		t.Errorf("the game is %v", in.games[0].state)
	}
}
