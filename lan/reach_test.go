package lan

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/protocol/w3gs"
)

var secondHome = netip.MustParseAddr("127.0.0.31")

// An answer comes from the address that was asked, whether the host is bound to
// it or to all addresses: clients join where the answer came from.
func TestAnswerFromTheAddressAsked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8")
	}
	for _, home := range []netip.Addr{secondHome, netip.IPv4Unspecified()} {
		c := newClient(t)
		a, addr := listen(t, func(o *Options) { o.Bind = home })
		open(t, a, 1)
		asked := netip.AddrPortFrom(secondHome, addr.Port())
		c.send(asked, searchAny)
		if from := c.want(captured); from != asked {
			t.Errorf("bound to %v and asked at %v, it answers from %v", home, asked, from)
		}
	}
}

// A host bound to one address hears what is broadcast to its network, and
// answers from that address.
func TestBroadcastToABoundHost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not broadcast on loopback")
	}
	c := newClient(t)
	a, addr := listen(t, func(o *Options) { o.Bind = secondHome })
	open(t, a, 1)
	c.send(netip.AddrPortFrom(loopbackBroadcast, addr.Port()), searchAny)
	if from := c.want(captured); from != addr {
		t.Errorf("answers from %v, want %v", from, addr)
	}
	if got := a.Addrs(); len(got) != 1 {
		t.Errorf("it says that it listens at %v", got)
	}
}

// What a host on loopback announces stays on its machine.
func TestLoopbackHostStaysHome(t *testing.T) {
	log := &journalWriter{}
	near, far := netip.MustParseAddrPort("127.0.0.1:7"), netip.MustParseAddrPort("10.0.0.9:6112")
	o, err := Options{
		Bind: secondHome, Product: w3gs.ProductTFT, InterfacePort: 6112,
		Targets: []netip.AddrPort{near, far}, Log: zerolog.New(log),
	}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if want := "[127.255.255.255:6112]"; fmt.Sprint(o.Broadcast) != want || o.InterfacePort != 0 {
		t.Errorf("it broadcasts to %v and %d, want %v", o.Broadcast, o.InterfacePort, want)
	}
	if !slices.Equal(o.Targets, []netip.AddrPort{near}) || log.count("warn", "host.listen") != 1 {
		t.Errorf("it tells %v", o.Targets)
	}
	o, _ = Options{Bind: secondHome, Product: w3gs.ProductTFT, Broadcast: []netip.AddrPort{}}.withDefaults()
	if len(o.Broadcast) != 0 {
		t.Errorf("told not to broadcast, it does so to %v", o.Broadcast)
	}
}

// Each asker gets the version it speaks; those from before 1.23 no SHA-1, which
// they cannot read.
func TestSeveralVersions(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, func(o *Options) { o.Version, o.Versions = 26, []uint32{22, 24, 26} }, c)
	ad := capturedAdvert
	ad.Stat.HasSHA1 = true
	advertise(t, a, ad)
	for _, v := range []string{"1A", "16", "18"} {
		c.want("F7 31 10 00 50 58 33 57 " + v + " 00 00 00 01 00 00 00")
	}
	c.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	for version, sha1 := range map[uint32]bool{22: false, 24: true, 26: true} {
		found, err := Search(t.Context(), addr, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: version})
		if err != nil || len(found) != 1 || found[0].Info.Version != version || found[0].Info.Stat.HasSHA1 != sha1 {
			t.Errorf("1.%d gets %+v, %v", version, found, err)
		}
	}
	if _, err := search(t.Context(), addr, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 25}, quickPace); err == nil {
		t.Error("1.25 gets an answer")
	}
}

// With PushInfo the targets get the whole description with every 0x32, and the
// others do not.
func TestPushInfo(t *testing.T) {
	c, target := newClient(t), newClient(t)
	a, _ := listen(t, func(o *Options) {
		o.PushInfo, o.Targets = true, []netip.AddrPort{target.addr}
	}, c)
	open(t, a, 1)
	for _, heard := range []*client{c, target} {
		heard.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
		heard.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	}
	target.want(captured)
	a.Update(1, Count{Slots: 10, Open: 8})
	c.want("F7 32 10 00 01 00 00 00 02 00 00 00 0A 00 00 00")
	target.want("F7 32 10 00 01 00 00 00 02 00 00 00 0A 00 00 00")
	if d, _ := target.receive(); d[1] != byte(w3gs.OpGameInfo) {
		t.Errorf("after the 0x32 came % X", d)
	}
}

// A port that another program holds with the other kind of sharing is had all
// the same.
func TestPortHeldByAnotherKindOfSharing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the two kinds apart")
	}
	holder, err := listenUDP(loopback, 0, sharePort)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	unshare(t, holder)
	a, addr := listen(t, func(o *Options) { o.Ports = []uint16{localAddr(holder).Port()} })
	if addr.Port() != localAddr(holder).Port() {
		t.Errorf("it listens at %v", a.Addrs())
	}
}

func TestBroadcastOf(t *testing.T) {
	for prefix, want := range map[string]string{
		"192.168.1.5/24": "192.168.1.255", "10.0.0.1/8": "10.255.255.255", "172.16.5.4/20": "172.16.15.255",
		"10.0.0.1/30": "10.0.0.3", "10.0.0.1/31": "", "10.0.0.1/32": "",
	} {
		got, ok := broadcastOf(netip.MustParsePrefix(prefix))
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: got %v, %v, want %q", prefix, got, ok, want)
		}
	}
}

// Somebody on this machine who asks from the host's own port is answered by a
// broadcast too, but not more often than anybody else.
func TestShownOnceASecond(t *testing.T) {
	a, _ := listen(t, func(o *Options) { o.pause = answerPause })
	open(t, a, 1)
	a.show(wantAny)
	if a.limit.grant(time.Now(), limitedBroadcast, local, 1) {
		t.Error("a second broadcast within a second")
	}
}

func unshare(t *testing.T, conn *net.UDPConn) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := clearShareAddr(raw); err != nil {
		t.Fatal(err)
	}
}
