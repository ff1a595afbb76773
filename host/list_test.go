package host

import (
	"io"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// askList asks the host for its lobbies.
func (r *rig) askList(format uint32) (lobbies []w3gs.GameInfo, end gproxy.Listed) {
	t := r.t
	t.Helper()
	conn := r.connect("127.0.0.1")
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write(gproxy.List{Format: format}.AppendTo(nil)); err != nil {
		t.Fatal(err)
	}
	stream, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	for len(stream) > 0 {
		frame, rest, err := gproxy.Next(stream, w3gs.MaxFrame)
		if err != nil || frame == nil {
			t.Fatalf("% X: %v", stream, err)
		}
		stream = rest
		if frame[0] == gproxy.Magic {
			packet, err := gproxy.Decode(frame)
			if err != nil || len(rest) > 0 {
				t.Fatal(packet, err, rest)
			}
			return lobbies, packet.(gproxy.Listed)
		}
		var info w3gs.GameInfo
		if err := info.Decode(w3gs.Frame(frame).Body()); err != nil {
			t.Fatal(err)
		}
		lobbies = append(lobbies, info)
	}
	t.Fatal("the answer has no end")
	return nil, end
}

// TestList: who asks is told the open lobbies that are public, and what is needed to
// join them.
func TestList(t *testing.T) { inBubble(t, testList) }

func testList(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Listing, o.RequireEntryKey, o.Game.Versions = true, true, []w3gs.Version{27} })
	g := r.lobby(4)
	if _, err := r.h.OpenFor(LobbyRequest{Name: "secret", Map: testMap(2), Private: true}); err != nil {
		t.Fatal(err)
	}
	var found []w3gs.GameInfo
	testkit.Eventually(t, "the lobby in the answer", func() bool {
		var end gproxy.Listed
		found, end = r.askList(gproxy.ListFormat)
		return len(found) == 2 && end == gproxy.Listed{State: gproxy.AllListed, Seconds: 5}
	})
	for i, info := range found {
		if info.Name != "test" || info.GameID != g.ID() || info.EntryKey != g.EntryKey() || info.Version != uint32(26+i) ||
			info.Slots != 5 || info.SlotsOpen != 5 || info.Stat.MapPath != testMap(4).Path || info.Port != r.h.Addr().Port() {
			t.Errorf("listed as %+v", info)
		}
	}
	r.join(g, "Ann", player)
	testkit.Eventually(t, "a slot less", func() bool {
		found, _ := r.askList(gproxy.ListFormat)
		return len(found) == 2 && found[0].SlotsOpen == 4
	})
	order(t, g, "priv")
	if found, end := r.askList(gproxy.ListFormat); len(found) != 0 || end.State != gproxy.AllListed {
		t.Errorf("a private lobby is listed: %+v, %+v", found, end)
	}
	order(t, g, "pub")
	testkit.Eventually(t, "the lobby listed again", func() bool { found, _ := r.askList(gproxy.ListFormat); return len(found) == 2 })
	if _, end := r.askList(2); end.State != gproxy.ListFormatUnknown {
		t.Errorf("an unknown format is answered with %+v", end)
	}
	if odd := r.log.find("connection closed before it joined"); len(odd) > 0 {
		t.Errorf("a question is logged as a join that never came: %v", odd)
	}
	if n := r.unjoined(); n > 1 { // the last one may still be on its way out
		testkit.Eventually(t, "no stranger left", func() bool { return r.unjoined() == 0 })
	}
}

// TestListOff: a host that lists nothing says so.
func TestListOff(t *testing.T) { inBubble(t, testListOff) }

func testListOff(t *testing.T) {
	r := newRig(t, nil)
	r.lobby(4)
	if found, end := r.askList(gproxy.ListFormat); len(found) != 0 || end.State != gproxy.ListsOff {
		t.Errorf("listed %+v, %+v", found, end)
	}
}
