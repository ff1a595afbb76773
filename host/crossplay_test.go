package host

import (
	"testing"

	"w3host/formats/w3map"
	"w3host/internal/testkit"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// TestCrossplay: players of 1.26, 1.27 and 1.28 are in one game. Each is shown a key and
// the identifiers of their own version, and is asked for that map; a client of 1.36 is shown nothing.
func TestCrossplay(t *testing.T) { inBubble(t, testCrossplay) }

func testCrossplay(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Listing, o.RequireEntryKey = true, true
		o.Game.Versions, o.Game.Crossplay = []w3gs.Version{27, 28}, true
	})
	m := testMap(3)
	m.Version, m.Checksum = 26, 0x26
	m.Others = map[w3gs.Version]w3map.Identifiers{
		27: {Checksum: 0x27, SHA1: [20]byte{27}}, 28: {Checksum: 0x28, SHA1: [20]byte{28}},
	}
	g, err := r.h.OpenLobby("three versions", m)
	if err != nil {
		t.Fatal(err)
	}
	var shown []w3gs.GameInfo
	testkit.Eventually(t, "the lobby for three versions", func() bool {
		shown, _ = r.askList(gproxy.ListFormat)
		return len(shown) == 3
	})
	keys := map[uint32]bool{g.EntryKey(): true}
	var clients []*client
	for i, info := range shown {
		v := uint32(26 + i)
		if info.Version != v || info.Stat.Checksum != 0x26+uint32(i) || keys[info.EntryKey] {
			t.Fatalf("shown to 1.%d: %+v", v, info)
		}
		keys[info.EntryKey] = true
		c := r.dial()
		c.Name, c.Conduct = "P"+string(rune('1'+i)), player
		go c.Listen()
		c.Send(joinPacket(g.ID(), info.EntryKey, c.Name))
		clients = append(clients, r.letIn(c))
		var check w3gs.MapCheck
		if err := check.Decode(c.Until(0x3D)[4:]); err != nil || check.Checksum != info.Stat.Checksum || v > 26 && check.SHA1[0] != byte(v) {
			t.Errorf("1.%d is asked for %+v, %v", v, check, err)
		}
	}
	r.begin(clients...)
	for _, c := range clients {
		c.Until(0x0C)
	}
	sameHistory(t, clients...)
}
