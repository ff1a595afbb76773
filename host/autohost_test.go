package host

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"w3host/game/autohost"
	"w3host/host/takeover"
	"w3host/internal/testkit"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// board is an Advertiser that knows what is listed.
type board struct{ events chan string }

// Open lists a lobby.
func (b board) Open(a lan.Advert) error {
	b.events <- fmt.Sprintf("open %d %s %d/%d", a.GameID, a.Name, a.Count.Open, a.Count.Slots)
	return nil
}

// Update changes the numbers.
func (b board) Update(id uint32, c lan.Count) {
	b.events <- fmt.Sprintf("update %d %d/%d", id, c.Open, c.Slots)
}

// Close unlists it.
func (b board) Close(id uint32) { b.events <- fmt.Sprintf("close %d", id) }

func (b board) expect(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		select {
		case got := <-b.events:
			if got != w {
				t.Fatalf("announced %q, want %q", got, w)
			}
		case <-time.After(patience):
			t.Fatalf("%q was not announced within %v", w, patience)
		}
	}
}

// oneEntry keeps lobbies called "game" open.
func oneEntry(lobbies, games int, open func(string, []w3gs.Version) (*Map, error)) Autohost {
	e := autohost.Entry{Name: "game", Lobbies: lobbies, MaxGames: games, Maps: []autohost.Choice{{Map: "map"}}, Setup: plainGame()}
	return Autohost{Entries: []autohost.Entry{e}, MaxGames: games, Open: open, Retry: 50 * time.Millisecond}
}

// TestAutohost: a lobby that starts is replaced by the next, until as many games
// run as may; when one ends there is room again. The map is asked for each time.
func TestAutohost(t *testing.T) { inBubble(t, testAutohost) }

func testAutohost(t *testing.T) {
	var asked atomic.Int32
	b := board{make(chan string, 100)}
	r := newRig(t, func(o *Options) {
		o.Advertiser = b
		o.Autohost = oneEntry(1, 2, func(string, []w3gs.Version) (*Map, error) {
			return testMap(1 + int(asked.Add(1))), nil
		})
	})
	// One more slot is announced than the map has: the virtual host's.
	b.expect(t, "open 1 game 2/3")
	start := func(id uint32) *client {
		c := r.join(r.h.Game(id), "Alice", player)
		r.begin(c)
		return c
	}
	first := start(1)
	b.expect(t, "update 1 1/3", "close 1", "open 2 game #2 3/4")
	start(2)
	b.expect(t, "update 2 2/4", "close 2")
	if n := len(r.h.Games()); n != 2 {
		t.Errorf("%d games, want 2", n)
	}
	_ = first.Conn.Close()
	b.expect(t, "open 3 game #3 4/5")
	r.shutDown()
	b.expect(t, "close 3")
	if n := len(recordsOf[storage.GameEnded](r)); n != 3 {
		t.Errorf("%d ends were recorded", n)
	}
	if asked.Load() != 3 {
		t.Errorf("the map was asked for %d times", asked.Load())
	}
}

// TestMapSourceFails: the host goes on and asks again.
func TestMapSourceFails(t *testing.T) { inBubble(t, testMapSourceFails) }

func testMapSourceFails(t *testing.T) {
	var asked atomic.Int32
	r := newRig(t, func(o *Options) {
		o.Autohost = oneEntry(1, 1, func(string, []w3gs.Version) (*Map, error) {
			if asked.Add(1) < 3 {
				return nil, errors.New("map file: not there")
			}
			return testMap(2), nil
		})
	})
	testkit.Eventually(t, "a lobby", func() bool { return len(r.h.Games()) == 1 })
	if asked.Load() != 3 {
		t.Errorf("the map was asked for %d times, want 3", asked.Load())
	}
	lines := r.log.find("cannot open a lobby")
	if len(lines) != 2 || lines[0]["error"] != "map file: not there" {
		t.Errorf("logged %v", lines)
	}
}

// TestListen: a port that is taken is an error that says what to do.
func TestListen(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	_, err := takeover.Listen(nil, r.h.Addr().String(), "")
	if err == nil {
		t.Fatal("two hosts on one port")
	}
	t.Log(err)
}
