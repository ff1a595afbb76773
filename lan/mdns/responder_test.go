package mdns

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
)

func publisher(bind string) (*Responder, *testkit.Log) {
	l := new(testkit.Log)
	r := Start(Options{
		Bind: netip.MustParseAddr(bind), Log: zerolog.New(l),
		Allow: func(time.Time, netip.Addr, uint32) bool { return true }, Local: func(netip.Addr) bool { return true },
	})
	r.Set(1, game("fun"))
	return r, l
}

// Without an interface that takes multicast the responder says so once, and goes on.
func TestNoInterface(t *testing.T) {
	r, l := publisher("203.0.113.9")
	defer r.Shutdown()
	l.Await(t, "cannot see the lobbies")
	r.Set(2, game("more"))
	r.Set(1)
	if l.Count("cannot see the lobbies") != 1 {
		t.Error("it says so again")
	}
}

// A program that has port 5353 for itself is no reason to end.
func TestPortForbidden(t *testing.T) {
	holder, err := net.ListenUDP("udp4", &net.UDPAddr{Port: Port})
	if err != nil {
		t.Skipf("something on this machine has the port: %v", err)
	}
	defer holder.Close()
	if places := multicastInterfaces(netip.MustParseAddr("127.0.0.1")); len(places) == 0 {
		t.Skip("no loopback interface")
	}
	r, l := publisher("127.0.0.1")
	defer r.Shutdown()
	testkit.Eventually(t, "it says so", func() bool {
		return l.Count("cannot see the lobbies") == 1 || l.Count("listening for multicast DNS") > 0 // IPv6 may be free
	})
}

// Of two that probe for a name at once, the one whose record comes earlier waits.
func TestTieBreak(t *testing.T) {
	r := newRoom(t)
	a, b := r.host("a"), r.host("b")
	for _, z := range r.zones {
		s := &service{Service: game("fun"), instance: instanceName("fun"), probes: 2}
		z.services = []*service{s}
	}
	first, second := a.services[0], b.services[0]
	a.probed(r.now, first, parse(second.probe(b.host)).Ns)
	b.probed(r.now, second, parse(first.probe(a.host)).Ns)
	if first.probes != 0 || !first.next.Equal(r.now.Add(lostPause)) || second.probes != 2 {
		t.Errorf("they go on with %d at %v and %d", first.probes, first.next, second.probes)
	}
	b.probed(r.now, second, parse(second.probe(b.host)).Ns)
	if second.probes != 2 {
		t.Error("a host loses to itself")
	}
}
