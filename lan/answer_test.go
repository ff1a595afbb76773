package lan

import (
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

func TestLobbyOnTheWire(t *testing.T) {
	c := newClient(t)
	target := newClient(t) // beyond the router, listed by address
	a, addr := listen(t, func(o *Options) { o.Targets = []netip.AddrPort{target.addr} }, c)
	both := func(hex string) {
		t.Helper()
		if from := c.want(hex); from != addr {
			t.Errorf("came from %v, want the port where searches are awaited, %v", from, addr)
		}
		target.want(hex)
	}
	open(t, a, 1)
	both("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	both("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	a.Update(1, Count{Slots: 10, Open: 6})
	both("F7 32 10 00 01 00 00 00 04 00 00 00 0A 00 00 00")
	a.Close(1)
	both("F7 33 08 00 01 00 00 00")
}

// 0x32 comes again and again while the lobby is open.
func TestRefreshOnTheWire(t *testing.T) {
	c := newClient(t)
	a, _ := listen(t, func(o *Options) { o.interval = 10 * time.Millisecond }, c)
	open(t, a, 1)
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	for range 5 {
		c.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	}
}

// A search is answered from where it was sent to, to where it came from.
func TestAnswer(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, nil)
	open(t, a, 1)
	for _, search := range []string{searchAny, searchFirst} {
		c.send(addr, search)
		if from := c.want(captured); from != addr {
			t.Errorf("answered from %v, want %v", from, addr)
		}
	}
}

// What is not a search for this game gets no answer. Each is followed by a
// good search, so that the only answer is the one to that.
func TestNoAnswer(t *testing.T) {
	for name, give := range map[string]string{
		"another id":      "F7 2F 10 00 50 58 33 57 14 00 00 00 02 00 00 00",
		"another version": "F7 2F 10 00 50 58 33 57 15 00 00 00 00 00 00 00",
		"another product": "F7 2F 10 00 33 52 41 57 14 00 00 00 00 00 00 00",
		"cut short":       "F7 2F 10 00 50 58 33 57 14 00 00 00 00 00 00",
		"short":           "F7 2F 0C 00 50 58 33 57 14 00 00 00",
		"too long":        "F7 2F 11 00 50 58 33 57 14 00 00 00 00 00 00 00 00",
		"trailing":        "F7 2F 10 00 50 58 33 57 14 00 00 00 00 00 00 00 00",
		"a realm's probe": "05 00 00 00 74 65 6E 62",
		"empty":           "",
		"one byte":        "F7",
		"another host":    "F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00",
		"a join":          "F7 1E 04 00",
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t)
			a, addr := listen(t, nil)
			open(t, a, 1)
			c.send(addr, give)
			c.send(addr, searchFirst)
			c.want(captured)
			c.send(addr, give)
			c.send(addr, searchFirst)
			c.want(captured)
			a.Shutdown() // so that everything is sent
			c.conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			if n, _, err := c.conn.ReadFromUDPAddrPort(make([]byte, 2048)); err == nil {
				t.Errorf("%d bytes more", n)
			}
		})
	}
}

func TestAnswerSeveralLobbies(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, nil)
	open(t, a, 1, 2, 3)
	a.Close(2)
	c.send(addr, searchAny)
	c.want(captured)
	c.want(capturedAs("03"))
	c.send(addr, "F7 2F 10 00 50 58 33 57 14 00 00 00 02 00 00 00")
	c.send(addr, "F7 2F 10 00 50 58 33 57 14 00 00 00 03 00 00 00")
	c.want(capturedAs("03"))
}

// Searches are heard on each port: 6112 for broadcasts, and the number of the
// TCP port for who knows the host's address.
func TestAnswerOnEachPort(t *testing.T) {
	c := newClient(t)
	a, _ := listen(t, func(o *Options) { o.Ports = []uint16{0, 0, 0} })
	open(t, a, 1)
	addrs := a.Addrs()
	if len(addrs) != 3 {
		t.Fatalf("got %v", addrs)
	}
	for _, addr := range addrs {
		c.send(addr, searchAny)
		if from := c.want(captured); from != addr {
			t.Errorf("asked at %v, answered from %v", addr, from)
		}
	}
}

func TestBroadcastOnTheWire(t *testing.T) {
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, conn: conn, addr: localAddr(conn)}
	defer conn.Close()
	everybody := netip.AddrPortFrom(netip.MustParseAddr("127.255.255.255"), c.addr.Port())
	if _, err := conn.WriteToUDPAddrPort([]byte("here?"), everybody); err != nil {
		t.Skipf("the loopback interface of this system does not broadcast: %v", err)
	}
	c.receive()
	a, _ := listen(t, func(o *Options) { o.Broadcast = []netip.AddrPort{everybody} })
	open(t, a, 1)
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
}

// A client on the same machine holds the same port. An answer to it may come
// back to the host's own socket; the broadcast reaches it.
func TestSharedPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("which of two sockets gets a datagram differs between systems")
	}
	conn, err := bind(netip.IPv4Unspecified(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	port := localAddr(conn).Port()
	c := &client{t: t, conn: conn}
	a, _ := listen(t, func(o *Options) {
		o.Bind = netip.IPv4Unspecified()
		o.Ports = []uint16{port}
		o.Broadcast = []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.255.255.255"), port)}
	})
	if got := a.Addrs(); len(got) != 1 || got[0].Port() != port {
		t.Fatalf("listening at %v, want port %d", got, port)
	}
	open(t, a, 1)
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	c.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	c.send(netip.AddrPortFrom(loopback, port), searchAny)
	c.want(captured)
}
