package host

import (
	"bytes"
	"io"
	"net/netip"
	"slices"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/lan"
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
	if _, err := r.h.OpenFor(Wish{Name: "secret", Map: testMap(2), Private: true}); err != nil {
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

// TestListBounds: an address that asks too often is told so, ten players behind one
// are not, and all answers together are bounded in bytes.
func TestListBounds(t *testing.T) {
	o := &Options{Advertiser: nobody{}, Listing: true, Product: w3gs.ProductTFT, Limits: Limits{OutQueue: 4 << 20}}
	d := newDirectory(o)
	now := time.Now()
	for id := range uint32(1000) {
		_ = d.open(lan.Advert{GameID: id + 1, Name: "a lobby with a name of 31 bytes", Count: lan.Count{Slots: 12, Open: 12}, Variants: []lan.Variant{{Version: 26}}})
	}
	state := func(addr string) gproxy.ListState {
		answer := d.reply(netip.MustParseAddr(addr), gproxy.ListFormat, false, now)
		packet, err := gproxy.Decode(answer[len(answer)-12:])
		if err != nil || len(answer) > listMax+12 {
			t.Fatalf("%d bytes, %v", len(answer), err)
		}
		return packet.(gproxy.Listed).State
	}
	for minute := range 10 { // ten players, every five seconds
		for range 120 {
			if s := state("192.0.2.1"); s != gproxy.AllListed {
				t.Fatalf("in minute %d a shared address is answered %d", minute, s)
			}
			now = now.Add(500 * time.Millisecond)
		}
	}
	listed := 0
	for range 10_000 {
		if state("192.0.2.2") == gproxy.AllListed {
			listed++
		}
	}
	if listed != listsPerMinute {
		t.Errorf("%d of 10,000 questions of one address were answered, want %d", listed, listsPerMinute)
	}
	now, listed = now.Add(time.Minute), 0
	begun := time.Now()
	for i := range 10_000 {
		if state(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}).String()) == gproxy.AllListed {
			listed++
		}
	}
	if most := listBurst / len(d.answer); listed > most+1 || listed < most/2 {
		t.Errorf("%d of 10,000 addresses were sent %d bytes each", listed, len(d.answer))
	}
	t.Logf("10,000 questions took %v, %d answers of %d bytes", time.Since(begun), listed, len(d.answer))
}

// TestListInTheOutQueue: an answer is not longer than what may wait for a socket.
func TestListInTheOutQueue(t *testing.T) {
	const most = 16 << 10
	d := newDirectory(&Options{Advertiser: nobody{}, Listing: true, Product: w3gs.ProductTFT, Limits: Limits{OutQueue: most}})
	for id := range uint32(1000) {
		_ = d.open(lan.Advert{GameID: id + 1, Name: "a lobby", Count: lan.Count{Slots: 12, Open: 12}, Variants: []lan.Variant{{Version: 26}}})
	}
	answer := d.reply(netip.MustParseAddr("192.0.2.1"), gproxy.ListFormat, false, time.Now())
	if len(answer) > most || len(answer) < most*9/10 {
		t.Errorf("%d bytes, %d may wait", len(answer), most)
	}
	if end, err := gproxy.Decode(answer[len(answer)-12:]); err != nil || end.(gproxy.Listed).State != gproxy.AllListed {
		t.Errorf("it ends with %+v, %v", end, err)
	}
}

// TestListAnswer: an answer serves all who ask within a second, tells how old lobbies are,
// and is given to an exempt address however often it asks.
func TestListAnswer(t *testing.T) {
	d := newDirectory(&Options{Advertiser: nobody{}, Listing: true, Product: w3gs.ProductTFT, Limits: Limits{OutQueue: 4 << 20}})
	now := time.Now()
	open := func(id uint32) {
		_ = d.open(lan.Advert{GameID: id, Name: "a", Count: lan.Count{Slots: 12, Open: 12}, Variants: []lan.Variant{{Version: 26}}})
		d.lobbies[len(d.lobbies)-1].since = now.Add(-90 * time.Second)
	}
	reply := func(at time.Time) []byte {
		return d.reply(netip.MustParseAddr("127.0.0.1"), gproxy.ListFormat, true, at)
	}
	open(1)
	first := slices.Clone(reply(now))
	var info w3gs.GameInfo
	if err := info.Decode(w3gs.Frame(first[:len(first)-12]).Body()); err != nil || info.UptimeSeconds != 90 {
		t.Errorf("open for 90 s: %+v, %v", info, err)
	}
	open(2)
	for range 10_000 {
		if !bytes.Equal(reply(now.Add(listFreshFor-1)), first) {
			t.Fatal("the answer was made once more within a second, or was refused")
		}
	}
	if again := reply(now.Add(listFreshFor)); len(again) < 2*len(first)-12 {
		t.Errorf("a second later the answer has %d bytes, with one lobby %d", len(again), len(first))
	}
}
