package host

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/internal/openfiles"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// TestStrangers: a thousand connections that say nothing, nonsense, half a
// header, too much, or a byte now and then are each closed within their limit,
// with a reason in the log, and a game goes on beside them.
func TestStrangers(t *testing.T) {
	tier.All(t, "judges lateness in real time")
	const (
		strangers = 1000
		limit     = 1500 * time.Millisecond
		turn      = 100 * time.Millisecond
	)
	if most, limited := openfiles.Limit(); limited && most < 3*strangers {
		t.Skipf("needs %d files, this process may have %d: raise it with ulimit -n", 3*strangers, most)
	}
	r := newRig(t, func(o *Options) {
		o.Limits.JoinTimeout = limit
		o.Game.Turns.Period = turn
	})
	_, players := r.play(4)
	jitter := watchMachine(t)

	kinds := []struct {
		name, reason string
		speak        func(net.Conn)
		slow         bool // ends with the time limit
	}{
		{"silent", "no join within the time limit", func(net.Conn) {}, true},
		{"noisy", "first byte is not 0xF7", func(c net.Conn) {
			b := make([]byte, 2000)
			for i := range b {
				b[i] = byte(rand.IntN(0xF7)) // not a packet's first byte
			}
			_, _ = c.Write(b)
		}, false},
		{"half a header", "no join within the time limit", func(c net.Conn) { _, _ = c.Write([]byte{0xF7, 0x1E}) }, true},
		{"too long", "longer than allowed", func(c net.Conn) {
			b := make([]byte, 65535)
			copy(b, []byte{0xF7, 0x1E, 0xFF, 0xFF})
			_, _ = c.Write(b)
		}, false},
		{"slow", "no join within the time limit", func(c net.Conn) {
			for _, b := range joinPacket(1, 0, "Slow") {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, true},
	}
	var wg sync.WaitGroup
	errs := make(chan error, strangers)
	for i := range strangers {
		kind := kinds[i%len(kinds)]
		begin := time.Now() // else it may have been accepted before
		nc, err := net.Dial("tcp", r.h.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer nc.Close()
			go kind.speak(nc)
			_ = nc.SetReadDeadline(begin.Add(patience))
			n, err := nc.Read(make([]byte, 1))
			took := time.Since(begin)
			switch ne, _ := err.(net.Error); {
			case n > 0:
				errs <- fmt.Errorf("%s: was sent something", kind.name)
			case ne != nil && ne.Timeout():
				errs <- fmt.Errorf("%s: still open after %v", kind.name, took)
			case kind.slow && took < limit-200*time.Millisecond: // the host's look at the clock may be a moment old
				errs <- fmt.Errorf("%s: closed after %v, before the limit of %v", kind.name, took, limit)
			case took > limit+3*time.Second:
				errs <- fmt.Errorf("%s: closed only after %v", kind.name, took)
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}

	const message = "connection closed before it joined"
	testkit.Eventually(t, "a log line for each", func() bool { return len(r.log.find(message)) >= strangers })
	count := map[string]int{}
	for _, line := range r.log.find(message) {
		for _, kind := range kinds {
			if strings.Contains(line["reason"].(string), kind.reason) {
				count[kind.reason]++
				break
			}
		}
	}
	if count[kinds[0].reason] != 600 || count[kinds[1].reason] != 200 || count[kinds[3].reason] != 200 {
		t.Errorf("reasons in the log: %v", count)
	}
	checkBeat(t, players, 3*turn+2*jitter())
}

// checkBeat fails when a player was disturbed: gone, alone, or without a turn for
// too long.
func checkBeat(t *testing.T, players []*client, longest time.Duration) {
	t.Helper()
	for _, c := range players {
		if err := c.Ending(); err != nil {
			t.Errorf("%s lost the connection: %v", c.Name, err)
		}
		if c.Count(0x10) > 0 || c.Count(0x07) > 1 {
			t.Errorf("%s saw a lag screen or a leave", c.Name)
		}
		var last time.Time
		for _, p := range c.All() {
			if p.B[1] != 0x0C {
				continue
			}
			if gap := p.At.Sub(last); !last.IsZero() && gap > longest {
				t.Errorf("%s waited %v for a turn, want %v at most", c.Name, gap, longest)
			}
			last = p.At
		}
		mark := c.Count(0x0C)
		testkit.Eventually(t, "more turns", func() bool { return c.Count(0x0C) > mark+2 })
	}
}

// watchMachine measures by how much a sleep of this process is too long, which
// no host can do anything about; the result ends it and gives the worst case.
func watchMachine(t *testing.T) (jitter func() time.Duration) {
	stop, worst := make(chan struct{}), make(chan time.Duration, 1)
	go func() {
		const nap = 5 * time.Millisecond
		var longest time.Duration
		for {
			begin := time.Now()
			select {
			case <-stop:
				worst <- longest
				return
			case <-time.After(nap):
				longest = max(longest, time.Since(begin)-nap)
			}
		}
	}()
	end := sync.OnceFunc(func() { close(stop) })
	t.Cleanup(end)
	return func() time.Duration { end(); return <-worst }
}

// TestTooManyFromOneAddress: what one address may hold open, and how often it
// may join.
func TestTooManyFromOneAddress(t *testing.T) { inBubble(t, testTooManyFromOneAddress) }

func testTooManyFromOneAddress(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Limits.Exempt = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
		o.Limits.UnjoinedPerIP, o.Limits.JoinsPerMinute = 2, 2
	})
	g := r.lobby(12)
	first, second := r.dial(), r.dial()
	third := r.connect("127.0.0.1")
	_ = third.SetReadDeadline(time.Now().Add(patience))
	if told, err := io.ReadAll(third); errors.Is(err, os.ErrDeadlineExceeded) || string(told) != "\xF7\x05\x08\x00\x09\x00\x00\x00" {
		t.Errorf("a third connection without a join is told %q, %v, want that the game is full", told, err)
	}
	_ = third.Close()
	if line := r.logged("connection refused"); !strings.Contains(line["reason"].(string), "limits.exempt") {
		t.Errorf("logged %v", line)
	}
	for i, c := range []*client{first, second} { // these two may join, and use up the rate
		c.Name = fmt.Sprintf("P%d", i)
		go c.Listen()
		c.Send(joinPacket(g.ID(), g.EntryKey(), c.Name))
		c.Until(0x3D)
	}
	hasty := r.knock(g, "Hasty", nil)
	hasty.Expect("F7 05 08 00 07 00 00 00")

	for range 5 {
		defer r.connect("127.0.0.2").Close()
	}
	testkit.Eventually(t, "five connections of an exempt address", func() bool {
		return r.unjoined() == 5
	})
}

// TestRoomForStrangers: a connection counts until it has a seat or is closed. When there is
// no more room, one that was refused goes, or else the one that has been silent for longest.
func TestRoomForStrangers(t *testing.T) { inBubble(t, testRoomForStrangers) }

func testRoomForStrangers(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.Unjoined = 3 })
	g := r.lobby(2)
	open := func() *client {
		c := r.dial()
		go c.Listen()
		return c
	}
	refused := open()
	refused.Send(joinPacket(0xFFFFFF, 0, "Nobody"))
	refused.Until(0x05) // and closes, when it has read the end
	testkit.Eventually(t, "the end of the refused one", func() bool { return r.unjoined() == 0 })

	slow := r.connect("127.0.0.1") // refused, and does not close
	defer slow.Close()
	_, _ = slow.Write(joinPacket(0xFFFFFF, 0, "Nobody"))
	_, _ = slow.Read(make([]byte, 8))
	if n := r.unjoined(); n != 1 {
		t.Errorf("%d connections count after one was refused and did not close, want 1", n)
	}
	oldest, other := open(), open()
	testkit.Eventually(t, "a full room", func() bool { return r.unjoined() == 3 })
	first := r.join(g, "First", player)
	if oldest.Ending() != nil || first.Ending() != nil {
		t.Error("not the refused one made room")
	}
	open()
	testkit.Eventually(t, "a full room again", func() bool { return r.unjoined() == 3 })
	second := r.join(g, "Second", player)
	if oldest.Ended() == nil || other.Ending() != nil || second.Ending() != nil {
		t.Error("not the oldest made room")
	}
	if line := r.logged("connection closed before it joined"); !strings.Contains(line["reason"].(string), "silent for longest") {
		t.Errorf("logged %v", line)
	}
}

// TestGarbage: a player who breaks the protocol ends alone, in the lobby and in
// the game.
func TestGarbage(t *testing.T) {
	for _, tc := range []struct {
		name, reason string
		bytes        []byte
		inGame       bool
		inLobby      bool
	}{
		{"no packet", "first byte is not 0xF7", []byte("GET / HTTP/1.1\r\n\r\n"), true, true},
		{"length 3", "does not match the bytes", []byte{0xF7, 0x28, 3, 0}, true, true},
		{"cut short", "ends too early", packet(0x21, byte(1)), true, true},
		{"action too long", "longer than allowed", action(make([]byte, 1028)), true, true},
		{"action with a wrong crc", "checksum does not match", packet(0x26, uint32(1), byte(1)), true, true},
		{"8-byte keepalive", "ends too early", packet(0x27, uint32(1)), true, true},
		{"action in the lobby", "before the game has started", action([]byte{1}), false, true},
		{"too many keepalives", "", repeat(packet(0x27, byte(0), uint32(7)), 40), true, false}, // the hash of all: no desync comes first
		{"flood", "flood", repeat(packet(0x29), 2100), true, true},
		{"flood of map parts received", "flood", repeat(packet(0x44, byte(1), byte(1), uint32(1), uint32(0)), 2100), true, false},
	} {
		bubbled(t, tc.name, func(t *testing.T) {
			r := newRig(t, nil)
			check := func(bad, good *client) {
				bad.Send(tc.bytes)
				_ = bad.Ended()
				testkit.Eventually(t, "the leave", func() bool { return good.Count(0x07) > 0 && r.log.String() != "" })
				testkit.Eventually(t, "the reason in the log", func() bool { return strings.Contains(r.log.String(), tc.reason) })
			}
			if tc.inLobby {
				g := r.lobby(2)
				good, bad := r.join(g, "Good", nil), r.join(g, "Bad", nil)
				check(bad, good)
				if b := good.Until(0x07); !matches("F7 07 09 00 03 0D 00 00 00", b) {
					t.Errorf("got %X for the leave from the lobby", b)
				}
				if good.Ending() != nil {
					t.Error("the other one was disturbed")
				}
			}
			if tc.inGame {
				_, players := r.play(3)
				bad := players[2]
				check(bad, players[0])
				for _, c := range players[:2] {
					if b := c.Until(0x07); !matches(fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", bad.PID), b) {
						t.Errorf("%s: got %X for the leave", c.Name, b)
					}
					c.Until(0x0C)
				}
			}
		})
	}
}

// TestUnknownOpcodes are skipped, and so is a second join.
func TestUnknownOpcodes(t *testing.T) { inBubble(t, testUnknownOpcodes) }

func testUnknownOpcodes(t *testing.T) {
	r := newRig(t, nil)
	g, players := r.play(2)
	players[1].Send(packet(0x77, uint32(1)), packet(0x3B, uint16(3)), joinPacket(g.ID(), g.EntryKey(), "Again"), packet(0x0C, uint16(9)))
	players[1].SayInGame("still here", players[0].PID)
	players[0].UntilText("still here")
	_ = players[1].Conn.Close()
	if line := r.logged("packets that a host does not use were skipped"); line["packets"] != 3. {
		t.Errorf("logged %v", line) // 0x3B is known, and of no use
	}
}

// TestSilentInLobby: whoever does not even pong is taken for dead.
func TestSilentInLobby(t *testing.T) { inBubble(t, testSilentInLobby) }

func testSilentInLobby(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Silence = 8 * time.Second })
	g := r.lobby(2)
	good, dead := r.join(g, "Good", player), r.join(g, "Dead", nil)
	if err := dead.Ended(); err == nil {
		t.Error("the silent player is kept")
	}
	good.Until(0x07)
	if line := r.logged("connection lost"); line["player"] != "Dead" || line["reason"] != "nothing heard for too long" {
		t.Errorf("logged %v", line)
	}
}

func repeat(b []byte, n int) []byte {
	var all []byte
	for range n {
		all = append(all, b...)
	}
	return all
}
