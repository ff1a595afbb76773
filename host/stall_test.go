package host

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"w3host/host/loop"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/storage"
)

// TestNeverReads: a client that takes nothing from its socket loses its place
// when far more waits for them than any budget allows, and nobody else does.
func TestNeverReads(t *testing.T) { inBubble(t, testNeverReads) }

func testNeverReads(t *testing.T) {
	const turn = 100 * time.Millisecond
	r := newRig(t, func(o *Options) {
		o.Game.Turns.Period, o.Game.Turns.SyncLimit = turn, 1000 // it is not the lag screen that ends the connection
		o.Limits.OutQueue = 2 << 20
		o.Limits.PacketRate, o.Game.Turns.ActionRate, o.Game.Turns.ActionBurst = 100_000, 1<<30, 1<<20
	})
	_, players := r.play(4)
	deaf := players[3]
	deaf.Stall()
	feed := talk(players[:3], 20)
	defer feed()
	line := r.logged("connection lost")
	if line["player"] != deaf.Name || line["reason"] != loop.ErrOverflow.Error() {
		t.Errorf("logged %v", line)
	}
	for _, c := range players[:3] {
		if b := c.Until(0x07); !matches(fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", deaf.PID), b) {
			t.Errorf("%s: got %X for the leave", c.Name, b)
		}
		mark := c.Count(0x0C)
		testkit.Eventually(t, "turns afterwards", func() bool { return c.Count(0x0C) > mark+3 })
		if c.Ending() != nil || c.Count(0x07) != 2 {
			t.Errorf("%s was disturbed", c.Name)
		}
	}
	if left := recorded[storage.PlayerLeft](r); left.PID != deaf.PID || left.Code != 1 {
		t.Errorf("recorded %+v", left)
	}
}

// talk makes each client send many long actions a turn until the result is
// called, so that sockets that nobody reads fill up.
func talk(clients []*client, actions int) (hush func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	burst := repeat(action(make([]byte, 1000)), actions)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			for _, c := range clients {
				c.Send(burst)
			}
		}
	}()
	return func() { close(stop); <-done }
}

// backlog is how many bytes of packets wait for a link's socket.
func backlog(l *link) int {
	packets, _ := l.Waiting()
	return packets
}

// TestKickOfTheStalled: one who does not read cannot hold a connection open by
// that, neither after a kick nor when the host stops.
func TestKickOfTheStalled(t *testing.T) { inBubble(t, testKickOfTheStalled) }

func testKickOfTheStalled(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Game.Turns.SyncLimit, o.Limits.OutQueue, o.Limits.PacketRate = 1000, 64<<20, 100_000
		o.Game.Turns.ActionRate, o.Game.Turns.ActionBurst = 1<<30, 1<<20
	})
	g, players := r.play(4)
	kicked, stays := players[2], players[3]
	for _, c := range []*client{kicked, stays} {
		c.Stall()
	}
	hush := talk(players[:2], 60)
	links := ask(t, g, func(g *Game) []*link { return []*link{g.seats[kicked.PID], g.seats[stays.PID]} })
	testkit.Eventually(t, "full sockets", func() bool {
		return ask(t, g, func(*Game) bool { return backlog(links[0]) > 0 && backlog(links[1]) > 0 })
	})
	hush()
	players[0].SayInGame("!kick " + kicked.Name)
	players[1].Until(0x07)
	testkit.Eventually(t, "the end of the kicked one's connection", func() bool {
		return ask(t, g, func(*Game) bool { return links[0].State() == loop.Closed })
	})
	if took := r.shutDown(); took > 2*time.Second+time.Second {
		t.Errorf("the host stopped after %v: it waited for one who does not read", took)
	}
}

// TestShutdownOfAGame: players read why, get a proper end, and the host is quick.
func TestShutdownOfAGame(t *testing.T) { inBubble(t, testShutdownOfAGame) }

func testShutdownOfAGame(t *testing.T) {
	r := newRig(t, nil)
	_, players := r.play(3)
	silent := r.dial() // says nothing; nobody waits for it
	go silent.Listen()
	testkit.Eventually(t, "the connection of the silent one", func() bool {
		return r.unjoined() == 1
	})
	took := r.shutDown()
	if took > 2*time.Second {
		t.Errorf("Run returned after %v", took)
	}
	for _, c := range players {
		if line := c.UntilText("shut"); line != "[Host] The host is shutting down." {
			t.Errorf("%s reads %q", c.Name, line)
		}
		c.Ignore += "\x0C" // a turn may have been under way
		c.Expect(fmt.Sprintf("F7 14 05 00 %02X", c.PID))
		if b := c.Next(); b != nil {
			t.Errorf("%s: %X after the 0x14", c.Name, b)
		}
		wantFIN(t, c)
	}
	if end := recorded[storage.GameEnded](r); end.How != storage.EndShutdown || end.Turns == 0 {
		t.Errorf("recorded %+v", end)
	}
	if n := len(recordsOf[storage.PlayerLeft](r)); n != 3 {
		t.Errorf("%d leaves were recorded", n)
	}
	if n := len(recordsOf[storage.DropEvent](r)) + len(r.log.find("player dropped")); n != 0 {
		t.Errorf("%d drops were recorded or logged: nobody was dropped", n)
	}
}

// TestShutdownOfALobby: the same before the start.
func TestShutdownOfALobby(t *testing.T) { inBubble(t, testShutdownOfALobby) }

func testShutdownOfALobby(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(3)
	alice, bob := r.join(g, "Alice", player), r.join(g, "Bob", player)
	if took := r.shutDown(); took > 2*time.Second {
		t.Errorf("Run returned after %v", took)
	}
	for _, c := range []*client{alice, bob} {
		if line := c.UntilText("closed"); !strings.Contains(line, "the host is shutting down") {
			t.Errorf("%s reads %q", c.Name, line)
		}
		if b := c.Next(); !matches("F7 1C 08 00 0D 00 00 00", b) {
			t.Errorf("%s: got %X, want a kick", c.Name, b)
		}
		wantFIN(t, c)
	}
	if end := recorded[storage.GameEnded](r); end.How != storage.EndClosed {
		t.Errorf("recorded %+v", end)
	}
	if _, err := r.h.OpenLobby("late", testMap(2)); err == nil {
		t.Error("a host that has stopped opens a lobby")
	}
}

// TestLobbyThatOpensIntoTheEnd: a lobby that was opened just before the host stops, and comes to the loop behind that,
// does not hold the host up.
func TestLobbyThatOpensIntoTheEnd(t *testing.T) { inBubble(t, testLobbyThatOpensIntoTheEnd) }

func testLobbyThatOpensIntoTheEnd(t *testing.T) {
	r := newRig(t, nil)
	r.join(r.lobby(1), "Ann", player) // the host serves
	g, err := r.h.tryGame(2, &lobbySpec{name: "late", m: testMap(2), setup: plainGame()})
	if err != nil {
		t.Fatal(err)
	}
	goOn := make(chan struct{})
	r.h.shard.Call(func() { <-goOn })
	r.stop()
	testkit.Eventually(t, "the stop", r.h.Draining)
	r.h.shard.Call(func() { r.h.stopGames(2 * time.Second) })
	r.h.shard.Call(func() { r.h.begin(g) })
	close(goOn)
	if took := r.shutDown(); took > 2*time.Second {
		t.Errorf("Run returned after %v", took)
	}
}

// TestShutdownWithClientsThatStay: a client that does not close cannot hold the
// host up for longer than it may linger.
func TestShutdownWithClientsThatStay(t *testing.T) { inBubble(t, testShutdownWithClientsThatStay) }

func testShutdownWithClientsThatStay(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	c := r.dial()
	c.Send(joinPacket(g.ID(), g.EntryKey(), "Alice"))
	if b, err := c.Read(); err != nil || b[1] != 0x04 {
		t.Fatalf("got % X, %v", b, err)
	}
	if took := r.shutDown(); took < 2*time.Second/2 || took > 2*time.Second+time.Second {
		t.Errorf("Run returned after %v, want the linger time of %v", took, 2*time.Second)
	}
}

// TestShutdownWithAPlayerAway: a player behind a proxy whose line is dead may linger for as long as limits.shutdown_timeout.
// The host cuts the connection in time, and has shut down everything within the limit.
func TestShutdownWithAPlayerAway(t *testing.T) { inBubble(t, testShutdownWithAPlayerAway) }

func testShutdownWithAPlayerAway(t *testing.T) {
	const limit = 2 * time.Second // the default
	r := reconnectRig(t, func(o *Options) { o.Limits.Shutdown = limit })
	g := r.lobby(2)
	ann := r.join(g, "Ann", player)
	var lines []*simnet.Conn
	cid, _ := r.proxiedBy(func(port uint16) (net.Conn, error) {
		c, err := r.dialPort(port)
		if err == nil {
			lines = append(lines, c.(*simnet.Conn))
		}
		return c, err
	}, g, "Cid", 1)
	r.begin(ann, cid)
	r.inPlay(ann, cid)
	for _, c := range lines {
		c.Sever()
	}
	time.Sleep(20 * time.Second)
	if took := r.shutDown(); took > limit*4/5 {
		t.Errorf("Run returned after %v", took)
	}
}
