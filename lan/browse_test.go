package lan

import (
	"context"
	"encoding/hex"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// watch runs Browse until the test ends and gives the lists that it makes.
func watch(t *testing.T, o BrowseOptions) <-chan []Found {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	lists, done := make(chan []Found, 1), make(chan struct{})
	if o.Ask == nil {
		o.Ask = []w3gs.SearchGame{wantAny}
	}
	go func() { // ends with the test
		defer close(done)
		if err := Browse(ctx, o, func(list []Found) {
			select {
			case <-lists: // only the latest matters
			default:
			}
			lists <- list
		}); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	return lists
}

func await(t *testing.T, lists <-chan []Found, what string, ok func([]Found) bool) []Found {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		select {
		case list := <-lists:
			if ok(list) {
				return list
			}
		case <-late:
			t.Fatalf("the list never showed %s", what)
		}
	}
}

// A lobby appears, changes and goes, as its host answers.
func TestBrowse(t *testing.T) {
	a, addr := listen(t, nil)
	lists := watch(t, BrowseOptions{To: []netip.AddrPort{addr}, Every: 20 * time.Millisecond, Forget: 200 * time.Millisecond})
	open(t, a, 1, 2)
	// An answer that comes after the next question has no round trip.
	found := await(t, lists, "both lobbies", func(l []Found) bool { return len(l) == 2 && l[0].RTT > 0 })
	f := found[0]
	if f.From != addr || f.Info.EntryKey != 0x00C26939 || f.Info.Stat != capturedAdvert.Stat || f.Players() != 1 {
		t.Errorf("got %+v", f)
	}
	a.Update(1, Count{Slots: 10, Open: 4})
	await(t, lists, "six players", func(l []Found) bool { return len(l) == 2 && l[0].Players() == 6 })
	a.Close(1)
	await(t, lists, "one lobby", func(l []Found) bool { return len(l) == 1 && l[0].Info.GameID == 2 })
}

// What is announced is asked for, and believed: a host that only announces is
// found as clients find it.
func TestBrowseListens(t *testing.T) {
	host := newClient(t)
	port := testkit.FreePort(t)
	lists := watch(t, BrowseOptions{Port: port, Every: time.Hour})
	client := netip.AddrPortFrom(loopback, port)
	question := func() netip.AddrPort {
		t.Helper()
		for range 100 { // until the browser listens
			host.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			host.send(client, "F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
			buf := make([]byte, datagramSize)
			if n, from, err := host.conn.ReadFromUDPAddrPort(buf); err == nil {
				if got := strings.ToUpper(hex.EncodeToString(buf[:n])); got != strings.Join(strings.Fields(searchFirst), "") {
					t.Errorf("it asks %s", got)
				}
				return netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
			}
		}
		t.Fatal("it does not ask for what is announced")
		return netip.AddrPort{}
	}
	host.send(question(), captured)
	await(t, lists, "the lobby", func(l []Found) bool { return len(l) == 1 && l[0].RTT > 0 && l[0].Players() == 1 })
	host.send(client, "F7 32 10 00 01 00 00 00 07 00 00 00 0A 00 00 00")
	await(t, lists, "seven players", func(l []Found) bool { return l[0].Players() == 7 })
	host.send(client, "F7 33 08 00 01 00 00 00")
	await(t, lists, "nothing", func(l []Found) bool { return len(l) == 0 })
	host.send(client, captured) // pushed without a question
	await(t, lists, "the pushed lobby", func(l []Found) bool { return len(l) == 1 && l[0].RTT == 0 })
}

// The browser takes nothing from a host on the same machine that has the port.
func TestBrowseBesideAHost(t *testing.T) {
	a, addr := listen(t, func(o *Options) { o.Bind = netip.IPv4Unspecified() })
	open(t, a, 1)
	watch(t, BrowseOptions{Port: addr.Port(), Every: 10 * time.Millisecond})
	c := newClient(t)
	for range 20 {
		c.send(netip.AddrPortFrom(loopback, addr.Port()), searchFirst)
		c.want(captured)
		time.Sleep(time.Millisecond)
	}
}

// An address that takes no question is an error, when there is no other.
func TestBrowseNobodyToAsk(t *testing.T) {
	err := Browse(t.Context(), BrowseOptions{To: []netip.AddrPort{netip.AddrPortFrom(loopback, 0)}, Ask: []w3gs.SearchGame{wantAny}}, nil)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:0") {
		t.Errorf("got %v", err)
	}
}

// Where nobody can be asked nothing stays behind, also when a datagram has come already.
func TestBrowseNobodyToAskLeavesNoReader(t *testing.T) {
	c := newClient(t)
	c.send(c.addr, captured)
	nobody := slices.Repeat([]netip.AddrPort{netip.AddrPortFrom(loopback, 0)}, 2000) // gives a reader time
	before := goleak.IgnoreCurrent()
	err := browse(t.Context(), BrowseOptions{To: nobody, Ask: []w3gs.SearchGame{wantAny}}, []*net.UDPConn{c.conn}, nil)
	c.conn.Close()
	if err == nil {
		t.Error("no error")
	}
	goleak.VerifyNone(t, before)
}

// A host on this machine is heard at its addresses and on loopback; it is shown
// once, where others can join too.
func TestBrowseShowsOneAddressOfAHost(t *testing.T) {
	b := browser{opts: BrowseOptions{Ask: []w3gs.SearchGame{{}}}, found: map[lobbyKey]*Found{}}
	hear := func(addr string, key uint32) {
		from := netip.AddrPortFrom(netip.MustParseAddr(addr), 6112)
		b.info(message{from: from}, w3gs.GameInfo{GameID: 1, EntryKey: key, Port: 6112})
	}
	hear("127.0.0.1", 5)
	hear("127.0.0.1", 5)
	if got := b.list(); len(got) != 1 {
		t.Errorf("got %+v", got)
	}
	hear("192.168.1.5", 5)
	hear("127.0.0.2", 6) // another host
	hear("192.168.1.9", 7)
	got := b.list()
	if len(got) != 3 || got[0].Info.EntryKey != 6 || got[1].From.Addr().String() != "192.168.1.5" {
		t.Errorf("got %+v", got)
	}
}

// An answer that is looked at after the next round has begun belongs to the round before it;
// what comes before all questions answers none.
func TestBrowseLateAnswer(t *testing.T) {
	began := time.Now()
	after := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	one, other := netip.MustParseAddrPort("192.168.1.5:6112"), netip.MustParseAddrPort("192.168.1.6:6112")
	first := round{after(0), map[netip.AddrPort]time.Time{one: after(50)}}
	second := round{after(100), map[netip.AddrPort]time.Time{}}
	for _, c := range []struct {
		from          netip.AddrPort
		at            int
		before, round round
		want          int
	}{
		{one, 60, round{}, first, 10},
		{other, 60, round{}, first, 60},
		{one, 90, first, second, 40},
		{other, 90, first, second, 90},
		{one, 110, first, second, 10},
		{one, -1, round{}, first, 0},
	} {
		b := browser{opts: BrowseOptions{Ask: []w3gs.SearchGame{{}}}, found: map[lobbyKey]*Found{}, before: c.before, round: c.round}
		b.info(message{from: c.from, at: after(c.at), answer: true}, w3gs.GameInfo{})
		if rtt := b.list()[0].RTT; rtt != time.Duration(c.want)*time.Millisecond {
			t.Errorf("%v, %d ms after the first question: RTT %v", c.from, c.at, rtt)
		}
	}
}
