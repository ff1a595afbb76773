package daemon

import (
	"net/netip"
	"testing"

	"github.com/rs/zerolog"

	"w3host/config"
)

// The LAN part speaks from where players can join.
func TestLANAddress(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.31:6112": "127.0.0.31", "192.168.1.5:1": "192.168.1.5", "[::ffff:10.0.0.1]:1": "10.0.0.1",
		"0.0.0.0:6112": "0.0.0.0", "[::]:6112": "0.0.0.0", "[fd00::1]:6112": "0.0.0.0", "[::1]:6112": "127.0.0.1",
	} {
		c := config.Default()
		c.LAN.Broadcast = []string{"interfaces"}
		addr := netip.MustParseAddrPort(listen)
		o := LANOptions(c, addr, zerolog.Nop())
		if o.Bind.String() != want || o.GamePort != addr.Port() || o.InterfacePort != 6112 || len(o.Broadcast) != 0 {
			t.Errorf("a host on %s: got %+v", listen, o)
		}
	}
}
