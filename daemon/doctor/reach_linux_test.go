package doctor

import (
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// TestReach: what can be known from here of an address where a realm sends players.
func TestReach(t *testing.T) {
	testkit.InNamespace(t, func(t *testing.T) {
		// 203.0.113.1 leads here without being an address of this machine, as with a router that passes a port on to its own network.
		for _, line := range []string{"ip route add local 203.0.113.1 dev lo", "ip addr add 203.0.113.9/32 dev lo"} {
			if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
				tier.Unable(t, "needs a network namespace to configure: %s: %s", line, out)
			}
		}
		l, err := net.Listen("tcp", ":0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		port := uint16(l.Addr().(*net.TCPAddr).Port)
		for _, c := range []struct{ addr, want string }{
			{"192.168.1.5", "only from the realm's own network"},
			{"203.0.113.9", "an address of this machine"},
			{"198.51.100.1", "not reachable from outside"},
			{"203.0.113.1", "the router forwards the port"}, // also behind one that nobody came from
		} {
			f := reach(l.(*net.TCPListener), netip.AddrPortFrom(netip.MustParseAddr(c.addr), port))
			if !strings.Contains(f.Detail, c.want) || (f.Remedy != "") != (c.addr == "198.51.100.1") {
				t.Errorf("%s: %+v, want %q", c.addr, f, c.want)
			}
		}
	})
}
