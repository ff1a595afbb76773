package game

import (
	"net/netip"
	"testing"

	"w3host/protocol/w3gs"
)

// TestBallots: votes count once for each address, except for confirmed names, exempt networks, and games whose players
// all have one address.
func TestBallots(t *testing.T) {
	alike := func(n int) (seats []seat) {
		for i := range n {
			seats = append(seats, seat{Player: Player{Addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 1)}})
		}
		return append(seats, seat{Player: Player{Addr: netip.MustParseAddrPort("198.51.100.1:1")}})
	}
	home, away := netip.MustParseAddrPort("203.0.113.7:1"), netip.MustParseAddrPort("203.0.113.8:1")
	for _, tc := range []struct {
		what  string
		seats []seat
		want  int
	}{
		{"one each", []seat{{Player: Player{Addr: home}}, {Player: Player{Addr: away}}}, 2},
		{"one for an address", []seat{{Player: Player{Addr: home}}, {Player: Player{Addr: home}}, {Player: Player{Addr: away}}}, 2},
		{"all have one address", []seat{{Player: Player{Addr: home}}, {Player: Player{Addr: home}}, {Player: Player{Addr: home}}}, 3},
		{"confirmed names", []seat{{Player: Player{Addr: home, Realm: "x"}}, {Player: Player{Addr: home, Realm: "x"}}, {Player: Player{Addr: away}}}, 3},
		{"an exempt network", []seat{{shared: true, Player: Player{Addr: home}}, {shared: true, Player: Player{Addr: home}}, {Player: Player{Addr: away}}, {Player: Player{Addr: away}}}, 3},
		{"three of a network", alike(9), 4},
	} {
		m, all := &Machine{}, w3gs.PIDs(0)
		for i := range tc.seats {
			m.seats[i+1], all = &tc.seats[i], all|w3gs.Only(uint8(i+1))
		}
		if got := m.ballots(all, all); got != tc.want {
			t.Errorf("%s: %d ballots, want %d", tc.what, got, tc.want)
		}
	}
}
