package lan

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

const (
	// goldenLocal is the 0x30 of the specification for 3.0.
	goldenLocal = `F7 30 73 00 50 58 33 57 D8 27 00 00 01 00 00 00 00 00 00 00 67 61 6D 65 00 00
		01 03 79 07 01 01 01 01 81 01 01 79 B9 03 11 4D EB 61 71 73 5D 57 69 73 61 71 5D 79 2F 77 33 79 6D 01 77 33 69 6F 73 75
		A9 01 01 01 03 03 05 05 55 07 07 09 09 0B 0B 0D AB 0D 0F 0F 11 11 13 13 01 15 00
		18 00 00 00 00 00 10 00 01 00 00 00 03 00 00 00 05 00 00 00 E0 17`
	searchLocal = "F7 2F 10 00 50 58 33 57 D8 27 00 00 00 00 00 00"
)

// localAdvert is the lobby of goldenLocal. The list counts one more slot as open than there is.
var localAdvert = Advert{
	GameID: 1, Name: "game", Port: 6112, Count: Count{Slots: 24, Open: 2}, Variants: []Variant{{
		Version: uint32(w3gs.VersionThree), Checksum: 0x1002B878, SHA1: [20]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
	}},
	Stat: w3gs.StatString{Settings: 0x00067802, MapPath: `Maps\Wisp\x.w3x`, HostName: "w3host", HasSHA1: true},
	Type: w3gs.GameTypeCustom | w3gs.GameTypeMeleeMap,
}

// TestLocalLobby: clients of 3.0 get a 0x30 each second and at each change, and nothing else. The
// addresses that one lobby is also shown to get it on each port of a client.
func TestLocalLobby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := announcing(t, Options{}, nil)
		a.local = true // no socket in a bubble
		if err := a.Open(localAdvert); err != nil {
			t.Fatal(err)
		}
		const head = "locally F7 30 73 00 50 58 33 57 D8 27 00 00, slots open, uptime and port"
		j.want(t, "0s "+head+" 03 00 00 00 00 00 00 00 E0 17")
		time.Sleep(2 * time.Second)
		j.want(t, "1s "+head+" 03 00 00 00 01 00 00 00 E0 17", "2s "+head+" 03 00 00 00 02 00 00 00 E0 17")
		time.Sleep(300 * time.Millisecond)
		a.Update(1, Count{Slots: 24, Open: 1})
		j.want(t, "2.3s "+head+" 02 00 00 00 02 00 00 00 E0 17")
		time.Sleep(700 * time.Millisecond)
		j.want(t, "3s "+head+" 02 00 00 00 03 00 00 00 E0 17")
		if err := a.ShowTo(1, netip.MustParseAddrPort("10.8.0.5:6112")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if lines := j.take(); len(lines) != 9 {
			t.Errorf("shown to one more: %d datagrams, want one to each of 8 ports and one locally:\n%s", len(lines), joinLines(lines))
		}
		a.Close(1)
		time.Sleep(time.Minute)
		j.want(t)
	})
}

// TestLocalTargets: who is told is this machine, at the address where players can join, and the targets.
func TestLocalTargets(t *testing.T) {
	for bind, want := range map[string]string{
		"0.0.0.0":     "127.0.0.1:16000 127.0.0.1:16007 10.0.5.7:16000 10.0.5.7:16007",
		"192.168.1.5": "192.168.1.5:16000 192.168.1.5:16007 10.0.5.7:16000 10.0.5.7:16007",
	} {
		o := Options{Bind: netip.MustParseAddr(bind), Targets: []netip.AddrPort{netip.MustParseAddrPort("10.0.5.7:6112"), netip.MustParseAddrPort("10.0.5.7:6113")}}
		o.localPort = LocalPort
		to := o.localTargets()
		if got := fmt.Sprint(to[0], to[7], to[8], to[15]); got != want || len(to) != 16 {
			t.Errorf("%s: %s of %d, want %s", bind, got, len(to), want)
		}
	}
}

// localRig is a host of 3.0 lobbies, with free ports in the place of 16000 to 16007. held keeps the first
// of them, as a game that was there before.
func localRig(t *testing.T, held bool) (a *Advertiser, base uint16, log *journalWriter, first *client) {
	t.Helper()
	base, log = testkit.FreePort(t), &journalWriter{}
	if held {
		first = clientAt(t, base)
	}
	a, _ = listen(t, func(o *Options) {
		o.localPort, o.retry, o.Log, o.Version = base, time.Hour, zerolog.New(log), uint32(w3gs.VersionThree)
	})
	advertise(t, a, localAdvert)
	return a, base, log, first
}

func clientAt(t *testing.T, port uint16) *client {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: loopback.AsSlice(), Port: int(port)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{t: t, conn: conn, addr: localAddr(conn)}
}

// TestLocalSearch: the search of a client is answered with the bytes of the specification.
func TestLocalSearch(t *testing.T) {
	a, base, _, _ := localRig(t, false)
	testkit.Eventually(t, "the port of 3.0 is open", func() bool { return len(a.Addrs()) == 2 })
	c := newClient(t)
	c.send(netip.AddrPortFrom(loopback, base), searchLocal)
	if from := c.want(goldenLocal); from.Port() != base {
		t.Errorf("answered from %v, want port %d", from, base)
	}
	c.send(a.Addrs()[0], searchLocal) // where w3host lan list --to asks
	c.want(goldenLocal)
}

// TestLocalAnnounced: a client that holds the port is told unasked, and so is one on a later port.
func TestLocalAnnounced(t *testing.T) {
	_, base, log, first := localRig(t, true)
	first.want(goldenLocal)
	clientAt(t, base+3).want(goldenLocal)
	testkit.Eventually(t, "a line about the port", func() bool { return log.count("info", "clients of 3.0 search") == 1 })
}

// TestBrowseLocal finds lobbies of 3.0 as clients do: unasked too, where a game has the first port.
func TestBrowseLocal(t *testing.T) {
	for _, held := range []bool{false, true} {
		_, base, _, _ := localRig(t, held)
		lists := watch(t, BrowseOptions{
			Port: testkit.FreePort(t), localPort: base, Every: 50 * time.Millisecond,
			Ask: []w3gs.SearchGame{{Product: w3gs.ProductTFT, Version: uint32(w3gs.VersionThree)}},
		})
		found := await(t, lists, "the lobby", func(l []Found) bool { return len(l) == 1 && (held || l[0].RTT > 0) })
		if f := found[0]; w3gs.Version(f.Info.Version) != w3gs.VersionThree || f.Info.Name != "game" || f.Info.Stat.Checksum != 0x1002B878 {
			t.Errorf("got %+v", f)
		}
	}
}
