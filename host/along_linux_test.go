//go:build !portable && (amd64 || arm64)

package host

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/hold"
	"w3host/host/survive"
	"w3host/internal/testkit"
)

// standbyShelf is the holder of a process that stands by for the death of the host.
type standbyShelf struct {
	shelf
	news chan hold.News
}

func (standbyShelf) IsStandby() bool          { return true }
func (s standbyShelf) News() <-chan hold.News { return s.news }
func (standbyShelf) Left() map[hold.Name]int  { return nil }
func (standbyShelf) StandsBy() bool           { return true }
func (standbyShelf) Ready(bool)               {}
func (standbyShelf) Upgrade(string) error     { return nil }
func (standbyShelf) Done() error              { return nil }
func (standbyShelf) KeepStandby()             {}

// longGame takes a minute to be run along for the first time.
type longGame struct{ done bool }

func (g *longGame) follow(*Survivors, *survivor) {
	if !g.done {
		time.Sleep(time.Minute)
	}
	g.done = true
}

// A standby is ready when it has run all games along, and not before: until then another process
// makes them again sooner. What hangs in a game shows, and who is told to end does so.
func TestStandbyReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		news := make(chan hold.News)
		s := &Survivors{Shelf: standbyShelf{news: news}, games: []*survivor{
			{Left: &survive.Left{}, along: &longGame{}}, {Left: &survive.Left{}, along: &longGame{}},
		}}
		var ready atomic.Int32
		ended := make(chan error, 1)
		ctx, end := context.WithCancel(t.Context())
		defer end()
		go func() { ended <- s.StandBy(ctx, func() { ready.Add(1) }) }()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if moved := s.Moved(); ready.Load() != 0 || moved != 1 {
			t.Errorf("in the first game: ready %d times, moved %d", ready.Load(), moved)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if moved := s.Moved(); ready.Load() != 0 || moved != 2 {
			t.Errorf("in the second game: ready %d times, moved %d", ready.Load(), moved)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if moved := s.Moved(); ready.Load() == 0 || moved < 3 {
			t.Errorf("after both: ready %d times, moved %d", ready.Load(), moved)
		}
		news <- hold.News{Verb: hold.GoOn}
		if err := <-ended; err != nil {
			t.Errorf("told to go on: %v", err)
		}
		go func() { ended <- s.StandBy(ctx, func() {}) }()
		end()
		if err := <-ended; err == nil {
			t.Error("told to end: it goes on")
		}
	})
}

// However often somebody joins a running game, it is run along from its start once in a while.
func TestAlongAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(testkit.Log)
		s := &Survivors{Shelf: standbyShelf{}, log: zerolog.New(log), games: []*survivor{{id: 1, Left: &survive.Left{}, sockets: map[game.LinkID]int{}}}}
		for link := range uint32(100) {
			s.hold(hold.LinkName(1, link+1), 0)
			s.runAlong()
			time.Sleep(alongEvery)
		}
		if n := strings.Count(log.String(), "cannot run this game along"); n != 3 { // there is nothing in it
			t.Errorf("begun %d times in five seconds", n)
		}
	})
}
