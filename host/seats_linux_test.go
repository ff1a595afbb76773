package host

import (
	"fmt"
	"net/netip"
	"testing"

	"w3host/game"
	"w3host/host/admission"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// What an address may have, by the seats that it has already: in lobbies 1, 2, 3 of an
// entry that may have four, of a host that may have seven.
func TestCrowded(t *testing.T) { inBubble(t, testCrowded) }

func testCrowded(t *testing.T) {
	home, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for _, tc := range []struct {
		name         string
		seats, games int            // limits
		taken        map[uint32]int // seats of home by lobby
		joins        uint32
		addr         netip.Addr
		want         error
	}{
		{"the first", 3, 2, nil, 1, home, nil},
		{"a neighbour", 3, 2, map[uint32]int{1: 2}, 1, home, nil},
		{"one neighbour too many", 3, 2, map[uint32]int{1: 3}, 1, home, admission.ErrSeats},
		{"seats of all lobbies count", 3, 2, map[uint32]int{1: 2, 2: 1}, 2, home, admission.ErrSeats},
		{"a second lobby", 9, 2, map[uint32]int{1: 2}, 2, home, nil},
		{"a third lobby", 9, 2, map[uint32]int{1: 2, 2: 1}, 3, home, admission.ErrGames},
		{"more in the second", 9, 2, map[uint32]int{1: 2, 2: 1}, 2, home, nil},
		{"half of the entry's", 9, 9, map[uint32]int{1: 1, 2: 1}, 3, home, admission.ErrShare},
		{"of another entry they do not count", 9, 9, map[uint32]int{1: 1, 2: 1}, 4, home, nil},
		{"half of the host's", 9, 9, map[uint32]int{1: 1, 2: 1, 4: 1}, 5, home, admission.ErrShare},
		{"somebody else", 3, 2, map[uint32]int{1: 2, 2: 1}, 3, other, nil},
		{"no limits", 0, 0, map[uint32]int{1: 9, 2: 9, 3: 9}, 4, home, nil},
		{"exempt", 1, 1, map[uint32]int{1: 9, 2: 9, 3: 9}, 4, netip.MustParseAddr("127.0.0.1"), nil},
	} {
		r := newRig(t, func(o *Options) {
			o.Limits.SeatsPerIP, o.Limits.GamesPerIP = tc.seats, tc.games
			a := oneEntry(3, 4, func(string, []w3gs.Version) (*Map, error) { return testMap(4), nil })
			o.Autohost, o.Autohost.MaxGames = a, 7
		})
		testkit.Eventually(t, "three lobbies", func() bool { return len(r.h.Infos()) == 3 })
		r.lobby(4)
		r.lobby(4)
		for id, n := range tc.taken {
			r.h.Note(&r.h.Game(id).facts.Info, func(i *Info) {
				for range n {
					i.Players = append(i.Players, game.Player{Addr: netip.AddrPortFrom(home, 1234)})
				}
			})
		}
		got := ask(t, r.h.Game(tc.joins), func(g *Game) error { return r.h.shard.refuseSeat(g.id, tc.addr) })
		if got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
		r.shutDown()
	}
}

// One address joins and starts as often as it can. It does not get all games that the
// host may have, and somebody else still finds a lobby and starts it.
func TestOneAddressLeavesGamesToOthers(t *testing.T) { inBubble(t, testOneAddressLeavesGamesToOthers) }

func testOneAddressLeavesGamesToOthers(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Autohost = oneEntry(1, 6, func(string, []w3gs.Version) (*Map, error) { return testMap(4), nil })
		o.Limits.Exempt, o.Limits.SeatsPerIP, o.Limits.GamesPerIP = nil, 48, 8
	})
	lobby := func() (g *Game) {
		testkit.Eventually(t, "a lobby", func() bool {
			for _, i := range r.h.Infos() {
				if !i.Playing {
					g = r.h.Game(i.ID)
				}
			}
			return g != nil && g.Open()
		})
		return g
	}
	for n := range 3 {
		c := r.letIn(r.knockOn(clientOn(t, r.connect("127.0.0.2")), lobby(), fmt.Sprint("Greedy", n), player))
		c.Say("!start now", c.PID)
		c.Until(0x0B)
	}
	refused := r.knockOn(clientOn(t, r.connect("127.0.0.2")), lobby(), "Greedy4", player)
	if b := refused.Next(); len(b) != 8 || b[1] != 0x05 || b[4] != 9 {
		t.Errorf("the fourth game of six: % X, want a refusal as full", b)
	}
	if line := r.logged("join refused"); line["reason"] != admission.ErrShare.Error() {
		t.Errorf("logged %v", line)
	}
	victim := r.letIn(r.knockOn(clientOn(t, r.connect("127.0.0.3")), lobby(), "Victim", player))
	victim.Say("!start now", victim.PID)
	victim.Until(0x0C)
}
