package host

import (
	"testing"

	"w3host/lan"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// TestLANCount: the virtual host has a pid without a slot. Clients make room for
// as many pids as there are slots, up to what they know.
func TestLANCount(t *testing.T) {
	for _, tc := range []struct {
		version w3gs.Version
		slots   int
		want    lan.Count
	}{
		{26, 2, lan.Count{Slots: 3, Open: 1}},
		{26, 11, lan.Count{Slots: 12, Open: 1}},
		{26, 12, lan.Count{Slots: 12, Open: 1}},
		{29, 12, lan.Count{Slots: 13, Open: 1}},
		{29, 24, lan.Count{Slots: 24, Open: 1}},
	} {
		if got := lanCount(lobby.Counts{Total: tc.slots, Open: 1}, tc.version); got != tc.want {
			t.Errorf("1.%d, %d slots: %+v, want %+v", tc.version, tc.slots, got, tc.want)
		}
	}
}
