package daemon

import (
	"net/netip"
	"strings"
	"testing"

	"w3host/protocol/w3gs"
)

// The bots that a host proposes play its version.
func TestBotsHint(t *testing.T) {
	for version, want := range map[w3gs.Version]string{
		w3gs.DefaultVersion: " bots --players 4",
		36:                  " bots --version 1.36 --players 4",
	} {
		if got := botsHint(netip.MustParseAddrPort("0.0.0.0:6112"), version, 4); !strings.HasSuffix(got, want) {
			t.Errorf("%v: %q", version, got)
		}
	}
}
