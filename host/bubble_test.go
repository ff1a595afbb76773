package host

import (
	"net"
	"net/netip"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"w3host/bots"
	"w3host/host/loop"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	gproxy "w3host/protocol/gproxy/client"
)

// line is that of players in a bubble, unless a test wants another.
var line = simnet.Line{Delay: 20 * time.Millisecond, Jitter: time.Millisecond}

// inBubble runs a test in virtual time, on a network in memory.
func inBubble(t *testing.T, f func(t *testing.T, n *simnet.Net)) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 1)
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New(1)
		t.Cleanup(n.Close) // behind the host's
		f(t, n)
	})
}

// on has a rig's host listen on a network in memory.
func on(n *simnet.Net, change func(*Options)) func(*Options) {
	return func(o *Options) {
		l, err := n.Listen(netip.MustParseAddrPort("10.0.0.1:6112"))
		if err != nil {
			panic(err)
		}
		o.Network, o.Listeners.Main = loop.NewMemory(n), l
		o.Limits.Exempt = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		if change != nil {
			change(o)
		}
	}
}

// dial connects a client to the host.
func (r *rig) dial() *client {
	r.t.Helper()
	if r.net == nil {
		return dial(r.t, r.h.Addr())
	}
	return clientOn(r.t, r.dialMemory(line))
}

func (r *rig) dialMemory(l simnet.Line) *simnet.Conn {
	r.t.Helper()
	c, err := r.net.Dial(netip.MustParseAddr("10.0.0.5"), r.h.Addr(), l, l)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// A whole game, from the lobby to the last who leaves.
func TestBubbleGame(t *testing.T) {
	inBubble(t, func(t *testing.T, n *simnet.Net) {
		began := time.Now()
		r := newRig(t, on(n, nil))
		g, players := r.play(10)
		time.Sleep(time.Hour)
		checkSameStream(t, players)
		for _, c := range players {
			c.Send(packet(0x21, uint32(7)))
		}
		testkit.Eventually(t, "the end of the game", func() bool { return r.h.Game(g.ID()) == nil })
		if n := players[0].Count(0x0C); n < 71_000 || n > 72_010 {
			t.Errorf("%d turns in an hour", n)
		}
		t.Logf("%v of the game, %d turns", time.Since(began), players[0].Count(0x0C))
	})
}

// proxiedIn is proxied in a bubble.
func (r *rig) proxiedIn(g *Game, name string, version uint32, l simnet.Line) (*client, *bots.Proxy) {
	r.t.Helper()
	dial := func(uint16) (net.Conn, error) {
		return r.net.Dial(netip.MustParseAddr("10.0.0.6"), r.h.Addr(), l, l)
	}
	host, err := dial(0)
	if err != nil {
		r.t.Fatal(err)
	}
	near, end := r.net.Pair(simnet.Line{}, simnet.Line{})
	p := bots.StartProxyOn(near, host, dial, gproxy.Proxy{Version: version, EmptyEvery: time.Minute, Silence: time.Minute}, bots.ProxyConduct{})
	r.t.Cleanup(p.Close)
	c := r.letIn(r.knockOn(clientOn(r.t, end), g, name, player))
	testkit.Eventually(r.t, "the offer to the proxy", func() bool { s, _ := p.State(); return s.Offered && s.Extended == (version > 1) })
	return c, p
}

// virtual reports whether the test is in a bubble, whose time begins in 2000.
func virtual() bool { return time.Now().Year() < 2010 }
