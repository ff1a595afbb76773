package host

import (
	"testing"

	"w3host/protocol/w3gs"
	"w3host/storage"
)

// TestWishedSettings: settings that are asked for with a lobby are announced, and recorded.
func TestWishedSettings(t *testing.T) { inBubble(t, testWishedSettings) }

func testWishedSettings(t *testing.T) {
	a := make(adverts, 10)
	r := newRig(t, func(o *Options) { o.Advertiser = a })
	bits := w3gs.FullSharedControl | w3gs.RandomHero | w3gs.RandomRaces
	if _, err := r.h.OpenFor(LobbyRequest{Name: "wild", Map: testMap(4), Settings: bits, Mask: bits | w3gs.FixedTeams}); err != nil {
		t.Fatal(err)
	}
	ad := a.next(t)
	if s := ad.Stat.Settings; s&(bits|w3gs.FixedTeams) != bits || s&w3gs.TeamsTogether == 0 {
		t.Errorf("announced with %#x", s)
	}
	if s := recorded[storage.GameCreated](r).Settings; !s.SharedControl || !s.RandomHero || !s.RandomRaces || s.FixedTeams || !s.TeamsTogether {
		t.Errorf("recorded %+v", s)
	}
}
