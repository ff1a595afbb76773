package host

import (
	"net"
	"net/netip"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// line is that of players in a bubble, unless a test wants another.
var line = simnet.Line{Delay: 20 * time.Millisecond, Jitter: time.Millisecond}

// inBubble runs a test in virtual time. Hosts that its rigs start, and their players, share a
// network in memory.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 1)
	synctest.Test(t, f)
}

// bubbled runs a subtest in a bubble of its own; a bubble has no subtests.
func bubbled(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { inBubble(t, f) })
}

// loopback is the address of hosts and players on networks in memory.
var loopback = netip.MustParseAddr("127.0.0.1")

// dial connects a client to the host.
func (r *rig) dial() *client {
	r.t.Helper()
	return clientOn(r.t, r.connect("127.0.0.1"))
}

// connect opens a connection to the host from an address.
func (r *rig) connect(from string) testkit.Stream {
	r.t.Helper()
	if r.net != nil {
		return r.dialMemory(from, r.line)
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	nc, err := d.Dial("tcp4", r.h.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	return nc.(*net.TCPConn)
}

// memory is where bots in a bubble connect.
func (r *rig) memory() testkit.Memory { return testkit.Memory{Net: r.net, Line: r.line} }

// dialMemory connects over a line in memory.
func (r *rig) dialMemory(from string, l simnet.Line) *simnet.Conn {
	r.t.Helper()
	c, err := r.net.Dial(netip.MustParseAddr(from), r.h.Addr(), l, l)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// TestBubbleGame plays a whole game, of one hour in the full tier, from the lobby to the last
// player who leaves.
func TestBubbleGame(t *testing.T) { inBubble(t, testBubbleGame) }

func testBubbleGame(t *testing.T) {
	r := newRig(t, nil)
	r.line.Jitter = 0 // fewer events
	g, players := r.play(10)
	minutes := tier.Pick(10, 60)
	time.Sleep(time.Duration(minutes) * time.Minute)
	checkSameStream(t, players)
	for _, c := range players {
		c.Send(packet(0x21, uint32(7)))
	}
	testkit.Eventually(t, "the end of the game", func() bool { return r.h.Game(g.ID()) == nil })
	if n := players[0].Count(0x0C); n < minutes*1185 || n > minutes*1200+10 {
		t.Errorf("%d turns in %d minutes", n, minutes)
	}
}
